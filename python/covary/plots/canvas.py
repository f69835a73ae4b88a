"""What all pictures share: columns as axes take them, colours, and places to draw at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _engine

# matplotlib is imported where it is needed: it takes longer to load than all the rest of covary.
if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

# Names of columns are not ours: a dollar sign in one starts no formula.
AS_IT_IS: dict[str, Any] = {"parse_math": False}


class Input(NamedTuple):
    """One column that the model knows."""

    place: int
    name: str
    kind: str  # "number", "date" (days since 1970), "date_time" (seconds since 1970) or "category"
    values: Floats
    levels: list[str]  # of a category, whose values count them

    @property
    def is_category(self) -> bool:
        return self.kind == "category"

    @property
    def typical(self) -> float:
        """The median, or the level that most rows have."""
        if self.is_category:
            return float(np.bincount(self.values.astype(int)).argmax())
        return float(np.median(self.values))


def inputs_of(data: _engine.Dataset) -> list[Input]:
    columns = zip(data.input_scalings, data.inputs, data.input_levels, strict=True)
    return [
        Input(i, name, kind, values, levels)
        for i, ((name, kind, _, _), values, levels) in enumerate(columns)
    ]


def input_named(inputs: list[Input], name: str) -> Input:
    for column in inputs:
        if column.name == name:
            return column
    known = ", ".join(column.name for column in inputs)
    raise ValueError(f"{name!r} is no input of the model; its inputs are {known}")


# ---- Axes ----------------------------------------------------------------------------------------


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def ink() -> Any:
    """The colour of the style's text, for what is neither model nor forecast."""
    import matplotlib

    return matplotlib.rcParams["text.color"]


def on_axis(values: Floats, kind: str) -> NDArray[Any]:
    """Values as matplotlib takes them: moments where they are dates."""
    if kind in ("number", "category"):
        return values
    milliseconds = values * (86_400_000 if kind == "date" else 1000)
    return np.datetime64(0, "ms") + milliseconds.round().astype("timedelta64[ms]")


def place_text(value: float, column: Input) -> str:
    """A place along a column of dates or levels."""
    if column.is_category:
        known = float(value).is_integer() and 0 <= value < len(column.levels)
        return column.levels[int(value)] if known else ""
    return str(on_axis(np.array([value]), column.kind)[0].astype("datetime64[D]"))


def label_input(ax: Axes, column: Input) -> None:
    ax.set_xlabel(column.name, **AS_IT_IS)
    if column.is_category:
        ax.set_xticks(range(len(column.levels)), column.levels, **AS_IT_IS)
    elif column.kind != "number":
        import matplotlib.dates

        dates: Any = matplotlib.dates
        locator = dates.AutoDateLocator()
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def draw_along(ax: Axes, column: Input, x: NDArray[Any], mean: Floats, **style: Any) -> None:
    """A curve, or a dot for each level."""
    if column.is_category:
        ax.plot(x, mean, "o", color="C0", **style)
    else:
        ax.plot(x, mean, color="C0", linewidth=1.4, **style)


def draw_band(
    ax: Axes, column: Input, x: NDArray[Any], lower: Floats, upper: Floats, alpha: float, **style: Any
) -> None:
    """A band, or a bar for each level."""
    if column.is_category:
        ax.bar(x, upper - lower, width=0.3, bottom=lower, color="C0", alpha=alpha, linewidth=0, **style)
    else:
        ax.fill_between(x, lower, upper, color="C0", alpha=alpha, linewidth=0, **style)


def mark_end_of_data(ax: Axes, column: Input) -> None:
    end = on_axis(column.values.max(keepdims=True), column.kind)[0]
    ax.axvline(end, color=ink(), alpha=0.5, linewidth=1, linestyle=":", label="end of the data")


def keep_data_in_sight(ax: Axes, values: Floats, lower: Floats, upper: Floats) -> None:
    """Of a band that becomes very wide, no more than one range of the values on either side."""
    low, high = values.min(), values.max()
    room = (high - low) or 1.0
    if lower.min() < low - room:
        ax.set_ylim(bottom=low - room)
    if upper.max() > high + room:
        ax.set_ylim(top=high + room)


# ---- Where it is drawn ---------------------------------------------------------------------------


def checked_extent(extend: float | None, num_points: int, inputs: list[Input]) -> float:
    """How far to look beyond the data; checked before a figure is made that would stay empty."""
    if num_points < 2:
        raise ValueError(f"num_points must be 2 or more, not {num_points}")
    if extend is None:
        is_curve = len(inputs) == 1 and not inputs[0].is_category
        return _engine.forecast_share if is_curve else 0.0
    if not (math.isfinite(extend) and extend >= 0):
        raise ValueError(f"extend is a share of the data's range, 0 or more, not {extend}")
    return extend


def grid_along(column: Input, extend: float, num_points: int) -> Floats:
    if column.is_category:
        return np.arange(len(column.levels), dtype=np.float64)
    low, high = column.values.min(), column.values.max()
    return np.linspace(low, high + extend * (high - low), num_points)


def columns_along(inputs: list[Input], column: Input, grid: Floats) -> list[Floats]:
    """New points along one input; the others stay at their medians, categories at the commonest level."""
    return [
        grid if other.place == column.place else np.full(len(grid), other.typical) for other in inputs
    ]
