"""From arrays and data frames to the engine's columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from . import _engine
from ._settings import texts_of

Floats = NDArray[np.float64]


class Columns(NamedTuple):
    """A table of numbers, column by column, with what they mean."""

    names: list[str]
    types: list[str]  # "number", "date" (days since 1970) or "date_time" (seconds since 1970)
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
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) in ("date", "datetime"):
        return np.asarray(_naive(pd.to_datetime(column)), dtype="datetime64[ns]")
    return None


def _numbers_of(moments: NDArray[Any], kind: str) -> Floats:
    unit = np.timedelta64(1, "D") if kind == "date" else np.timedelta64(1, "s")
    return np.asarray((moments - np.datetime64(0, "D")) / unit, dtype=np.float64)


def _frame_of(X: Any) -> pd.DataFrame | None:
    """X as a data frame, if it has names or dates; None for a plain array of numbers."""
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame()
    if isinstance(X, np.ndarray) and np.issubdtype(X.dtype, np.datetime64):
        return pd.DataFrame(X)
    return None


def replace_dates(X: Any, types: list[str] | None = None) -> tuple[Any, list[str] | None]:
    """X with numbers in the place of dates, and the type of each column.

    `types` are those of the data that a model was fitted to; without them the columns tell. What is
    no table of dates comes back as it is, for scikit-learn's own checks to judge.
    """
    frame = _frame_of(X)
    if frame is None or frame.columns.has_duplicates:
        return X, None
    found = []
    columns: dict[Any, Any] = {}
    for place, name in enumerate(frame.columns):
        column = frame[name]
        moments = _moments(column)
        kind = "number"
        if moments is not None:
            kind = "date" if _is_midnight(moments) else "date_time"
        if types is not None and place < len(types):
            if (types[place] == "number") != (kind == "number"):
                wanted = "numbers" if types[place] == "number" else "dates"
                raise ValueError(f"column {name!r} holds {wanted} in the data that the model was fitted to")
            kind = types[place]
        found.append(kind)
        if moments is not None:
            columns[name] = _numbers_of(moments, kind)
        elif not pd.api.types.is_numeric_dtype(column.dtype) and column.dtype != object:
            raise ValueError(f"column {name!r} holds text; leave it out, or turn it into numbers")
        else:
            columns[name] = column.to_numpy()
    return pd.DataFrame(columns, index=frame.index, columns=frame.columns), found


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


def columns_of(values: ArrayLike, names: list[str], types: list[str] | None) -> Columns:
    table = np.asarray(values, dtype=np.float64)
    split = [np.ascontiguousarray(table[:, i]) for i in range(table.shape[1])]
    return Columns(names, types or ["number"] * len(names), split)


def make_dataset(
    X: Any, y: Any, *, missing: str = "reject", no_scale: bool = False
) -> _engine.Dataset:
    """The engine's data from a table and a target, for the functions that take data.

    >>> import numpy as np, covary
    >>> x = np.linspace(0, 1, 20)
    >>> data = covary.make_dataset(x[:, None], np.sin(9 * x))
    >>> data.num_rows, data.input_names, data.target_name
    (20, ['x0'], 'y')
    """
    numbers, types = replace_dates(X)
    table = np.asarray(numbers, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"X must have rows and columns, not {table.ndim} dimensions")
    names = names_of_inputs(numbers, table.shape[1])
    return dataset_of(columns_of(table, names, types), y, missing=missing, no_scale=no_scale)


def dataset_of(columns: Columns, y: Any, *, missing: str, no_scale: bool) -> _engine.Dataset:
    target = np.ascontiguousarray(np.asarray(y, dtype=np.float64).ravel())
    return _engine.dataset_of_columns(
        list(zip(columns.names, columns.types, columns.values, strict=True)),
        (name_of_target(y, columns.names), "number", target),
        texts_of({"missing": missing, "no_scale": no_scale}),
        "the data",
    )


def read_csv(
    path: str,
    *,
    target: str,
    inputs: list[str] | None = None,
    missing: str = "reject",
    no_scale: bool = False,
) -> _engine.Dataset:
    """The engine's data from a CSV file, read and checked as the command line does it."""
    settings = texts_of({"missing": missing, "no_scale": no_scale})
    return _engine.dataset_of_csv(str(path), target, inputs or [], settings)
