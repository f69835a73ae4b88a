"""From arrays and data frames to the engine's columns."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d

from . import _engine
from ._settings import texts_of

Floats = NDArray[np.float64]


class ColumnKind(NamedTuple):
    """What the numbers of a column mean."""

    # "number", "date" (days since 1970), "date_time" (seconds since 1970); "category" for indices of
    # levels, and "text" where the engine is to decide whether they are one.
    type: str
    levels: tuple[str, ...] = ()
    date_format: str = ""  # of dates that were texts, as in DD.MM.YYYY; empty for ISO 8601


class Columns(NamedTuple):
    """A table of numbers, column by column, with what they mean."""

    names: list[str]
    kinds: list[ColumnKind]
    values: list[Floats]


def _is_midnight(moments: NDArray[Any]) -> bool:
    known = moments[~np.isnat(moments)]
    return bool((known == known.astype("datetime64[D]")).all())


def _naive(column: pd.Series[Any]) -> pd.Series[Any]:
    """Moments with a time zone as moments of UTC, as the command line reads them."""
    zone = getattr(column.dtype, "tz", None)
    return column if zone is None else column.dt.tz_convert("UTC").dt.tz_localize(None)


def _moments(column: pd.Series[Any]) -> NDArray[Any] | None:
    """The column as moments, if it holds dates."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return np.asarray(_naive(column), dtype="datetime64[ns]")
    if isinstance(column.dtype, pd.PeriodDtype):
        return np.asarray(column.dt.to_timestamp(), dtype="datetime64[ns]")
    if column.dtype == object and _holds_dates(column):
        has_zone = _has_zone(column)
        return np.asarray(_naive(pd.to_datetime(column, utc=has_zone)), dtype="datetime64[ns]")
    return None


def _holds_dates(column: pd.Series[Any]) -> bool:
    known = column[column.notna()]
    return len(known) > 0 and all(isinstance(value, datetime.date) for value in known)


def _has_zone(column: pd.Series[Any]) -> bool:
    """Whether the moments have time zones, which need not be the same."""
    zones = [
        (row, getattr(value, "tzinfo", None) is not None)
        for row, value in enumerate(column, start=1)
        if not pd.isna(value)
    ]
    other = next((row for row, has_zone in zones if has_zone != zones[0][1]), None)
    if other is not None:
        first, second = ("with", "without") if zones[0][1] else ("without", "with")
        raise ValueError(
            f"column {column.name!r} mixes moments {first} a time zone (row {zones[0][0]}) and {second} one "
            f"(row {other}); give a time zone to all of them or to none"
        )
    return zones[0][1]


def _numbers_of(moments: NDArray[Any], kind: str) -> Floats:
    unit = np.timedelta64(1, "D") if kind == "date" else np.timedelta64(1, "s")
    return np.asarray((moments - np.datetime64(0, "D")) / unit, dtype=np.float64)


def index_of(values: Floats, kind: str, name: str) -> pd.Index[Any]:
    """Values of an input as an index: moments where they are dates."""
    if kind == "number":
        return pd.Index(values, name=name)
    return pd.DatetimeIndex(pd.to_datetime(values, unit="D" if kind == "date" else "s"), name=name)


def _from_elsewhere(X: Any) -> pd.DataFrame | None:
    """A table of another library (polars, Arrow, ...), if it speaks one of the common protocols."""
    if type(X).__name__ == "LazyFrame":
        raise ValueError(f"a {type(X).__module__.partition('.')[0]} LazyFrame has no rows yet; give X.collect()")
    if not hasattr(X, "__arrow_c_stream__"):
        return pd.api.interchange.from_dataframe(X) if hasattr(X, "__dataframe__") else None
    try:
        import pyarrow
    except ImportError:
        if hasattr(X, "__dataframe__"):
            return pd.api.interchange.from_dataframe(X)
        raise ValueError(
            f"a table of {type(X).__module__}.{type(X).__name__} is read by way of pyarrow; install it, "
            "or give X.to_pandas()"
        ) from None
    frame: pd.DataFrame = pyarrow.table(X).to_pandas()
    return frame


def frame_of(X: Any) -> pd.DataFrame | None:
    """X as a data frame, if it has names or dates; None for a plain array of numbers."""
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame()
    if isinstance(X, np.ndarray) and np.issubdtype(X.dtype, np.datetime64):
        return pd.DataFrame(X)
    return _from_elsewhere(X)


def _level_name(value: Any) -> str | None:
    """A value as the engine names its level; None for a missing one."""
    if pd.isna(value):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value)).removesuffix(".0")
    return str(value).strip() or None


def _level_names(column: pd.Series[Any]) -> list[str | None]:
    moments = _moments(column)
    if moments is None:
        return [_level_name(value) for value in column]
    unit = "D" if _is_midnight(moments) else "s"
    return [None if np.isnat(moment) else str(moment.astype(f"datetime64[{unit}]")) for moment in moments]


def _type_of_levels(column: pd.Series[Any]) -> str | None:
    """Whether the column holds levels: "category" where it says so itself, "text", or None."""
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column.dtype):
        return "category"
    if isinstance(column.dtype, pd.StringDtype):
        return "text"
    if column.dtype == object:
        holds = pd.api.types.infer_dtype(column, skipna=True)
        return {"boolean": "category", "string": "text", "mixed-integer": "text"}.get(holds)
    return None


def _codes(names: list[str | None], known: tuple[str, ...]) -> tuple[Floats, tuple[str, ...]]:
    """Indices of levels, those that are not known beyond those that are, and the names of them all."""
    new = sorted({name for name in names if name is not None} - set(known))
    levels = (*known, *new)
    index = {name: float(i) for i, name in enumerate(levels)}
    values = [np.nan if name is None else index[name] for name in names]
    return np.array(values, dtype=np.float64), levels


def _wrong_kind(name: Any, wanted: str) -> ValueError:
    words = "numbers" if wanted == "number" else "dates"
    return ValueError(f"column {name!r} holds {words} in the data that the model was fitted to")


def _dates_of_texts(column: pd.Series[Any], wanted: ColumnKind | None) -> tuple[Floats, ColumnKind] | None:
    """Texts as the dates that they are, by the rules of files; None where they are others."""
    texts = [_level_name(value) for value in column]
    known = None if wanted is None else (wanted.type, wanted.date_format)
    found = _engine.dates_of_texts(str(column.name), texts, known)
    if found is None:
        return None
    kind, date_format, values = found
    return values, ColumnKind(kind, (), date_format)


def _numbers_and_kind(
    column: pd.Series[Any], wanted: ColumnKind | None, may_hold_dates: bool
) -> tuple[Any, ColumnKind]:
    of_levels = _type_of_levels(column)
    if of_levels == "text" and may_hold_dates and (wanted is None or wanted.type in ("date", "date_time")):
        dates = _dates_of_texts(column, wanted)
        if dates is not None:
            return dates
    if of_levels is not None or (wanted is not None and wanted.type == "category"):
        if wanted is not None and wanted.type != "category":
            raise _wrong_kind(column.name, wanted.type)
        values, levels = _codes(_level_names(column), wanted.levels if wanted is not None else ())
        return values, ColumnKind(of_levels or "category", levels)
    moments = _moments(column)
    kind = "number" if moments is None else "date" if _is_midnight(moments) else "date_time"
    if wanted is not None:
        if (wanted.type == "number") != (kind == "number"):
            raise _wrong_kind(column.name, wanted.type)
        kind = wanted.type
    if moments is not None:
        return _numbers_of(moments, kind), ColumnKind(kind)
    if column.dtype == object:
        return _numbers_among_objects(column), ColumnKind(kind)
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise ValueError(f"column {column.name!r} holds neither numbers, dates nor categories; leave it out")
    if pd.api.types.is_extension_array_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan), ColumnKind(kind)
    return column.to_numpy(), ColumnKind(kind)


def _numbers_among_objects(column: pd.Series[Any]) -> Floats:
    values = np.empty(len(column))
    strangers = []
    for row, value in enumerate(column):
        try:
            values[row] = np.nan if pd.api.types.is_scalar(value) and pd.isna(value) else float(value)
        except (TypeError, ValueError):
            strangers.append((row + 1, value))
    if strangers:
        row, value = strangers[0]
        others = f" (and {len(strangers) - 1} more rows)" if len(strangers) > 1 else ""
        raise ValueError(
            f"column {column.name!r} holds {value!r} in row {row}{others}, which is no number and does not go "
            "with the rest of the column; make it one kind of values, or leave the column out"
        )
    return values


def _unmasked(values: Any) -> Any:
    """A masked array with NaN where it is masked, which numpy would else forget."""
    if isinstance(values, np.ma.MaskedArray) and np.issubdtype(values.dtype, np.number):
        return np.where(np.ma.getmaskarray(values), np.nan, values.data.astype(np.float64))
    return values


def _names(columns: Iterable[str] | None) -> list[str]:
    """A list of columns; a text alone is one of them, not its letters."""
    return [columns] if isinstance(columns, str) else list(columns or [])


def as_numbers(
    X: Any, wanted: list[ColumnKind | None] | None = None, categories: Iterable[str] | None = None
) -> tuple[Any, list[ColumnKind] | None]:
    """X with numbers in the place of dates and categories, and what they mean in each column.

    `wanted` is what the columns are in the data that a model was fitted to, None for those that it
    does not use; without it the columns tell, but for those that are named as `categories`. What is no table of these comes back as it is, for
    scikit-learn's own checks to judge.
    """
    X = _unmasked(X)
    frame = frame_of(X)
    if frame is None and isinstance(X, np.ndarray) and X.ndim == 2 and wanted is not None:
        if any(kind is not None and kind.type == "category" for kind in wanted):
            return as_numbers(pd.DataFrame(X), wanted)[0].to_numpy(), None
    if frame is None or frame.columns.has_duplicates:
        return X, None
    found = []
    levels = set(_names(categories))
    columns: dict[Any, Any] = {}
    for place, name in enumerate(frame.columns):
        kind = wanted[place] if wanted is not None and place < len(wanted) else None
        columns[name], own = _numbers_and_kind(frame[name], kind, name not in levels)
        found.append(own)
    return pd.DataFrame(columns, index=frame.index, columns=frame.columns), found


def kinds_of(data: _engine.Dataset) -> dict[str, ColumnKind]:
    """What the inputs of a model are, by name."""
    scalings = zip(data.input_scalings, data.input_levels, data.input_date_formats, strict=True)
    return {name: ColumnKind(kind, tuple(levels), form) for (name, kind, _, _), levels, form in scalings}


def names_of_inputs(X: Any, num_columns: int) -> list[str]:
    """The columns' names, or x0, x1, ... where there are none."""
    names = list(X.columns) if isinstance(X, pd.DataFrame) else []
    if names and all(isinstance(name, str) for name in names):
        return names
    return [f"x{i}" for i in range(num_columns)]


def name_of_target(y: Any, inputs: list[str]) -> str:
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else "y"
    while name in inputs:
        name += "_target"
    return name


def target_of(y: Any) -> Floats:
    """The target as numbers, NaN where there is none."""
    y = _unmasked(y)
    if isinstance(y, pd.Series) and pd.api.types.is_extension_array_dtype(y.dtype):
        y = y.to_numpy(dtype=np.float64, na_value=np.nan)
    checked = check_array(y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y")
    column = column_or_1d(checked, warn=True)
    if column.dtype == object:
        column = np.array([np.nan if value is None or value is pd.NA else value for value in column])
    return np.ascontiguousarray(column, dtype=np.float64)


def columns_of(values: ArrayLike, names: list[str], kinds: list[ColumnKind] | None) -> Columns:
    table = np.asarray(values, dtype=np.float64)
    split = [np.ascontiguousarray(table[:, i]) for i in range(table.shape[1])]
    return Columns(names, kinds or [ColumnKind("number")] * len(names), split)


def make_dataset(
    X: Any,
    y: Any,
    *,
    missing: str = "reject",
    no_scale: bool = False,
    categories: Iterable[str] | None = None,
) -> _engine.Dataset:
    """The engine's data from a table and a target, for the functions that take data.

    Of a DataFrame, columns of text that are dates are read as in a file (``31.12.2024``, ``1990Q1``);
    columns of the dtypes category and bool, and of other text with few levels, are categories;
    `categories` names further ones.

    >>> import numpy as np, covary
    >>> x = np.linspace(0, 1, 20)
    >>> data = covary.make_dataset(x[:, None], np.sin(9 * x))
    >>> data.num_rows, data.input_names, data.target_name
    (20, ['x0'], 'y')
    """
    numbers, kinds = as_numbers(X, categories=categories)
    table = np.asarray(numbers, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"X must have rows and columns, not {table.ndim} dimensions")
    names = names_of_inputs(numbers, table.shape[1])
    columns = columns_of(table, names, kinds)
    return dataset_of(columns, y, missing=missing, no_scale=no_scale, categories=categories)


def dataset_of(
    columns: Columns, y: Any, *, missing: str, no_scale: bool, categories: Iterable[str] | None
) -> _engine.Dataset:
    target = target_of(y)
    return _engine.dataset_of_columns(
        [
            (name, kind.type, values, list(kind.levels), kind.date_format)
            for name, kind, values in zip(columns.names, columns.kinds, columns.values, strict=True)
        ],
        (name_of_target(y, columns.names), "number", target, [], ""),
        texts_of({"missing": missing, "no_scale": no_scale}),
        "the data",
        _names(categories),
    )


def read_csv(
    path: str,
    *,
    target: str,
    inputs: Iterable[str] | None = None,
    missing: str = "reject",
    no_scale: bool = False,
    categories: Iterable[str] | None = None,
    separator: str | None = None,
    no_header: bool = False,
) -> _engine.Dataset:
    """The engine's data from a CSV file, read and checked as the command line does it."""
    settings = texts_of({"missing": missing, "no_scale": no_scale})
    of_file = texts_of({"separator": separator, "no_header": no_header})
    return _engine.dataset_of_csv(str(path), target, _names(inputs), settings, _names(categories), of_file)
