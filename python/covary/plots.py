"""Pictures of a fitted estimator, drawn with matplotlib.

Every function takes axes to draw on or makes a figure of its own, gives the axes back for whoever
wants to change them, and shows nothing by itself. The numbers are the engine's. Colours are those of
the matplotlib style in force.
"""

from __future__ import annotations

import math
import statistics
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _engine

# matplotlib is imported where it is needed: it takes longer to load than all the rest of covary.
if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .regressor import KernelSearchRegressor

Floats = NDArray[np.float64]

__all__ = ["plot_components", "plot_fit", "plot_history", "plot_residuals"]

_FORECAST_SHARE = 0.2  # of the data's range, unless told otherwise
_MOST_COLUMNS = 3  # of the grid of panels for the parts of a model of several inputs

# Names of columns are not ours: a dollar sign in one starts no formula.
_AS_IT_IS: dict[str, Any] = {"parse_math": False}


class _Input(NamedTuple):
    """One column that the model knows."""

    place: int
    name: str
    kind: str  # "number", "date" (days since 1970) or "date_time" (seconds since 1970)
    values: Floats


def _inputs(data: _engine.Dataset) -> list[_Input]:
    scalings = zip(data.input_scalings, data.inputs, strict=True)
    return [_Input(i, name, kind, values) for i, ((name, kind, _, _), values) in enumerate(scalings)]


def _input_named(inputs: list[_Input], name: str) -> _Input:
    for column in inputs:
        if column.name == name:
            return column
    known = ", ".join(column.name for column in inputs)
    raise ValueError(f"{name!r} is no input of the model; its inputs are {known}")


# ---- Axes ----------------------------------------------------------------------------------------


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _ink() -> Any:
    """The colour of the style's text, for what is neither model nor forecast."""
    import matplotlib

    return matplotlib.rcParams["text.color"]


def _on_axis(values: Floats, kind: str) -> NDArray[Any]:
    """Values as matplotlib takes them: moments where they are dates."""
    if kind == "number":
        return values
    milliseconds = values * (86_400_000 if kind == "date" else 1000)
    return np.datetime64(0, "ms") + milliseconds.round().astype("timedelta64[ms]")


def _day_text(value: float, kind: str) -> str:
    return str(_on_axis(np.array([value]), kind)[0].astype("datetime64[D]"))


def _label_input(ax: Axes, column: _Input) -> None:
    ax.set_xlabel(column.name, **_AS_IT_IS)
    if column.kind != "number":
        import matplotlib.dates

        dates: Any = matplotlib.dates
        locator = dates.AutoDateLocator()
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def _mark_end_of_data(ax: Axes, column: _Input) -> None:
    end = _on_axis(column.values.max(keepdims=True), column.kind)[0]
    ax.axvline(end, color=_ink(), alpha=0.5, linewidth=1, linestyle=":", label="end of the data")


def _keep_data_in_sight(ax: Axes, values: Floats, lower: Floats, upper: Floats) -> None:
    """Of a band that becomes very wide, no more than one range of the values on either side."""
    low, high = values.min(), values.max()
    room = (high - low) or 1.0
    if lower.min() < low - room:
        ax.set_ylim(bottom=low - room)
    if upper.max() > high + room:
        ax.set_ylim(top=high + room)


# ---- What is drawn -------------------------------------------------------------------------------


def _checked_extent(extend: float | None, num_points: int, num_inputs: int) -> float:
    """How far to look beyond the data; checked before a figure is made that would stay empty."""
    if num_points < 2:
        raise ValueError(f"num_points must be 2 or more, not {num_points}")
    if extend is None:
        return _FORECAST_SHARE if num_inputs == 1 else 0.0
    if not (math.isfinite(extend) and extend >= 0):
        raise ValueError(f"extend is a share of the data's range, 0 or more, not {extend}")
    return extend


def _grid(column: _Input, extend: float, num_points: int) -> Floats:
    low, high = column.values.min(), column.values.max()
    return np.linspace(low, high + extend * (high - low), num_points)


def _columns_along(inputs: list[_Input], column: _Input, grid: Floats) -> list[Floats]:
    """New points along one input; the others stay at their medians."""
    medians = [np.full(len(grid), np.median(other.values)) for other in inputs]
    return [grid if other.place == column.place else medians[other.place] for other in inputs]


def _sorted_levels(levels: float | Iterable[float]) -> list[float]:
    """The widest first, so that narrow bands lie upon wide ones."""
    found = sorted(np.atleast_1d(np.asarray(levels, dtype=np.float64)).tolist(), reverse=True)
    if not all(0 < level < 1 for level in found):
        raise ValueError("levels are probabilities between 0 and 1, such as (0.5, 0.95)")
    return found


def _level_text(level: float) -> str:
    return f"{100 * level:g} % interval"


def plot_fit(
    model: KernelSearchRegressor,
    ax: Axes | None = None,
    *,
    column: str | None = None,
    levels: float | Iterable[float] = (0.5, 0.95),
    extend: float | None = None,
    num_points: int = 1000,
) -> Axes:
    """The data and what the model makes of them.

    For one input, the mean and the intervals of a new observation along it, and a forecast beyond the
    last row. For several inputs, what is predicted for the rows of the fit against what was observed;
    or, if a `column` is named, the mean and the intervals along it while the other inputs stay at
    their medians.

    Parameters
    ----------
    model : KernelSearchRegressor
        A fitted one.
    ax : Axes, optional
        To draw on; a new figure if not given.
    column : str, optional
        The input to follow.
    levels : float or list of float, default=(0.5, 0.95)
        Probabilities of the intervals, which hold a new observation, its noise included.
    extend : float, optional
        How far to look beyond the data, as a share of their range. A fifth if not given, and nothing
        along a column of several.
    num_points : int, default=1000
        Points of a curve.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, covary
    >>> x = np.linspace(0, 10, 40)
    >>> model = covary.KernelSearchRegressor(max_evaluations=6, restarts=2).fit(x[:, None], np.sin(x))
    >>> ax = covary.plots.plot_fit(model, levels=0.9)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'y')
    >>> [line.get_label() for line in ax.lines]
    ['data', 'mean', 'end of the data']
    """
    check_is_fitted(model)
    widest_first = _sorted_levels(levels)
    inputs = _inputs(model.model_.data)
    extent = _checked_extent(extend, num_points, len(inputs))
    if column is None and len(inputs) > 1:
        return _draw_predicted_and_observed(model, ax, widest_first)
    along = inputs[0] if column is None else _input_named(inputs, column)
    ax = _axes(ax, 8, 3.8)
    _draw_fit_along(ax, model, along, _grid(along, extent, num_points), widest_first)
    if len(inputs) > 1:
        ax.set_title(f"Along {along.name}, the other inputs at their medians", **_AS_IT_IS)
    if extent > 0:
        _mark_end_of_data(ax, along)
    ax.legend(fontsize="small")
    return ax


def _draw_fit_along(
    ax: Axes, model: KernelSearchRegressor, along: _Input, grid: Floats, levels: list[float]
) -> None:
    data = model.model_.data
    inputs = _inputs(data)
    x = _on_axis(grid, along.kind)
    rows = _on_axis(along.values, along.kind)
    if len(inputs) == 1:
        ax.plot(rows, data.target, ".", color=_ink(), markersize=4, alpha=0.7, label="data")
    else:
        # The rows have other inputs than the curve, so only where they lie along it can be shown.
        ax.plot(
            rows, np.zeros(len(rows)), "|", color=_ink(), alpha=0.4, markersize=8, label="rows",
            transform=ax.get_xaxis_transform(),
        )
    prediction = model.model_.predict(_columns_along(inputs, along, grid))
    ax.plot(x, prediction.mean, color="C0", linewidth=1.4, label="mean")
    for place, level in enumerate(levels):
        lower, upper = prediction.interval(level)
        alpha = min(0.18 + 0.14 * place, 0.6)
        ax.fill_between(x, lower, upper, color="C0", alpha=alpha, linewidth=0, label=_level_text(level))
    if levels:
        _keep_data_in_sight(ax, data.target, *prediction.interval(levels[0]))
    _label_input(ax, along)
    ax.set_ylabel(data.target_name, **_AS_IT_IS)
    ax.margins(x=0.01)


def _draw_predicted_and_observed(model: KernelSearchRegressor, ax: Axes | None, levels: list[float]) -> Axes:
    ax = _axes(ax, 5.6, 5)
    data = model.model_.data
    observed = data.target
    prediction = model.model_.predict(data.inputs)
    for place, level in enumerate(levels):
        lower, upper = prediction.interval(level)
        ax.vlines(
            observed, lower, upper, color="C0", alpha=0.25, linewidth=1 + 1.2 * place,
            label=_level_text(level),
        )
    ax.plot(observed, prediction.mean, ".", color="C0", markersize=5, label="rows of the fit")
    ax.axline(
        (observed.min(), observed.min()), slope=1, color=_ink(), alpha=0.6, linewidth=1, linestyle="--",
        label="predicted as observed",
    )
    ax.set_xlabel(f"{data.target_name}, observed", **_AS_IT_IS)
    ax.set_ylabel(f"{data.target_name}, predicted", **_AS_IT_IS)
    ax.legend(fontsize="small")
    return ax


def plot_components(
    model: KernelSearchRegressor,
    axes: Any = None,
    *,
    extend: float | None = None,
    num_points: int = 1000,
) -> NDArray[Any]:
    """The additive parts of the model, a panel each, the most useful first.

    A part of one input is a curve along it, with a band of two standard deviations of the part itself
    (no noise). A part of several inputs is shown at the rows of the data, over its first input and
    coloured by its second. Parts are zero in the mean; with the offset they add up to the prediction.
    Of an ensemble, the parts of its best kernel.

    Parameters
    ----------
    model : KernelSearchRegressor
        A fitted one.
    axes : Axes or array of Axes, optional
        To draw on, at least one for each part; a new figure if not given.
    extend : float, optional
        How far to look beyond the data, as a share of their range. A fifth if not given, and nothing
        for a model of several inputs.
    num_points : int, default=1000
        Points of a curve.

    Returns
    -------
    array of Axes, one for each part

    Examples
    --------
    >>> import numpy as np, covary
    >>> x = np.linspace(0, 10, 40)
    >>> model = covary.KernelSearchRegressor(max_evaluations=6, restarts=2, space="SE")
    >>> axes = covary.plots.plot_components(model.fit(x[:, None], x + np.sin(x)))
    >>> len(axes) == len(model.explain().components)
    True
    """
    check_is_fitted(model)
    explanation = model._explained()
    inputs = _inputs(model.model_.data)
    extent = _checked_extent(extend, num_points, len(inputs))
    panels = _panels(axes, len(explanation.order), len(inputs))
    several = len(explanation.order) > 1
    for place, (panel, component) in enumerate(zip(panels, explanation.order, strict=True)):
        own = [inputs[i] for i in explanation.decomposition.inputs(component)]
        if len(own) == 1:
            grid = _grid(own[0], extent, num_points)
            _draw_part_along(panel, explanation.decomposition, component, inputs, own[0], grid)
            if extent > 0:
                _mark_end_of_data(panel, own[0])
        else:
            _draw_part_at_rows(panel, explanation.decomposition, component, inputs, own)
        panel.axhline(0, color=_ink(), alpha=0.4, linewidth=0.8, zorder=0)
        panel.set_ylabel(model.model_.data.target_name, **_AS_IT_IS)
        title = explanation.titles[place]
        title = _wrapped(f"{place + 1}. {title}" if several else title, panel)
        panel.set_title(title, fontsize="medium", **_AS_IT_IS)
        if axes is None and len(inputs) == 1:
            panel.label_outer()  # the panels lie below each other and share their input's axis
    return panels


def _panels(axes: Any, num_parts: int, num_inputs: int) -> NDArray[Any]:
    if axes is not None:
        given = np.ravel(np.asarray(axes, dtype=object))
        if len(given) < num_parts:
            raise ValueError(
                f"the model has {num_parts} parts and needs as many axes, but {len(given)} were given"
            )
        return given[:num_parts]
    import matplotlib.pyplot as plt

    # Along one input panels lie below each other, so that the same place is above the same place.
    num_columns = 1 if num_inputs == 1 else min(num_parts, _MOST_COLUMNS)
    num_lines = math.ceil(num_parts / num_columns)
    size = (8, 2.3 * num_lines) if num_columns == 1 else (4 * num_columns, 3.1 * num_lines)
    _, made = plt.subplots(
        num_lines, num_columns, figsize=size, squeeze=False, sharex=num_inputs == 1, layout="constrained"
    )
    for unused in made.flat[num_parts:]:
        unused.remove()
    found: NDArray[Any] = made.ravel()[:num_parts]
    return found


def _wrapped(title: str, panel: Axes) -> str:
    """Lines that are about as wide as the panel."""
    width_in_inches = panel.bbox.width / panel.figure.dpi
    return textwrap.fill(title, max(int(13 * width_in_inches), 20))


def _draw_part_along(
    panel: Axes,
    parts: _engine.Decomposition,
    component: int,
    inputs: list[_Input],
    along: _Input,
    grid: Floats,
) -> None:
    mean, sd = parts.curve(component, _columns_along(inputs, along, grid))
    x = _on_axis(grid, along.kind)
    panel.plot(x, mean, color="C0", linewidth=1.4)
    panel.fill_between(x, mean - 2 * sd, mean + 2 * sd, color="C0", alpha=0.2, linewidth=0)
    _label_input(panel, along)
    panel.margins(x=0.01)


def _draw_part_at_rows(
    panel: Axes, parts: _engine.Decomposition, component: int, inputs: list[_Input], own: list[_Input]
) -> None:
    mean, sd = parts.curve(component, [column.values for column in inputs])
    x = _on_axis(own[0].values, own[0].kind)
    panel.vlines(x, mean - 2 * sd, mean + 2 * sd, color=_ink(), alpha=0.15, linewidth=1)
    points = panel.scatter(x, mean, c=own[1].values, s=10, zorder=3)
    bar = panel.figure.colorbar(points, ax=panel)
    bar.ax.set_ylabel(own[1].name, **_AS_IT_IS)
    if own[1].kind != "number":
        bar.ax.yaxis.set_major_formatter(lambda value, _: _day_text(value, own[1].kind))
    _label_input(panel, own[0])


def plot_history(model: KernelSearchRegressor, ax: Axes | None = None) -> Axes:
    """How the search went: what each kernel was worth, and the best so far.

    Values are per row, as in ``history_``; evaluations count from 1. Kernels far below the best lie
    outside the picture, and such that could not be fitted are crosses at its bottom.

    Parameters
    ----------
    model : KernelSearchRegressor
        One that was fitted here: a model file knows nothing of the search.
    ax : Axes, optional
        To draw on; a new figure if not given.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, covary
    >>> x = np.linspace(0, 10, 40)
    >>> model = covary.KernelSearchRegressor(max_evaluations=6, restarts=2).fit(x[:, None], np.sin(x))
    >>> covary.plots.plot_history(model).get_ylabel()
    'log evidence per row'
    """
    check_is_fitted(model)
    if not hasattr(model, "history_"):
        raise ValueError("a model from a file has no search to draw; draw it where the model was found")
    from matplotlib.ticker import MaxNLocator

    ax = _axes(ax, 8, 3.4)
    history = model.history_
    number = history.index.to_numpy() + 1
    values = history["value_per_row"].to_numpy()
    is_initial = history["is_initial"].to_numpy(dtype=bool)
    has_value = np.isfinite(values)
    for name, chosen, fill in (("initial set", is_initial, "none"), ("proposed", ~is_initial, "C0")):
        if (chosen & has_value).any():
            ax.plot(
                number[chosen & has_value], values[chosen & has_value], "o", color="C0", alpha=0.7,
                markersize=4, markerfacecolor=fill, label=name,
            )
    if not has_value.all():
        ax.plot(
            number[~has_value], np.full((~has_value).sum(), 0.02), "x", color=_ink(), markersize=5,
            label="could not be fitted", transform=ax.get_xaxis_transform(),
        )
    ax.step(number, history["best_so_far"].to_numpy(), where="post", color="C1", label="best so far")
    _leave_out_the_worst(ax, values[has_value])
    criterion = dict(model._options.texts)["criterion"]
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set_xlabel("evaluation")
    ax.set_ylabel(f"{'log evidence' if criterion == 'evidence' else criterion} per row")
    ax.legend(fontsize="small")
    return ax


def _leave_out_the_worst(ax: Axes, values: Floats) -> None:
    """From the best value down to where most kernels are, as in the report.

    The worst can be so bad that nothing else would be seen.
    """
    best = values.max()
    low = max(values.min(), best - 3 * max(best - np.median(values), 1e-6))
    margin = 0.06 * ((best - low) or 1.0)
    ax.set_ylim(low - margin, best + margin)


def plot_residuals(model: KernelSearchRegressor, ax: Axes | None = None, *, kind: str = "time") -> Axes:
    """What is left of each row when it is predicted from all the others, in standard deviations.

    About one in twenty lies beyond the lines at -2 and 2 if the model is right. Of an ensemble, the
    residuals of its best kernel.

    Parameters
    ----------
    model : KernelSearchRegressor
        A fitted one.
    ax : Axes, optional
        To draw on; a new figure if not given.
    kind : {"time", "quantile"}, default="time"
        Over the input if there is only one, and otherwise in the order of the rows; or sorted, over
        the quantiles of a normal distribution, where they lie on the line if they are normal.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, covary
    >>> x = np.linspace(0, 10, 40)
    >>> model = covary.KernelSearchRegressor(max_evaluations=6, restarts=2).fit(x[:, None], np.sin(x))
    >>> covary.plots.plot_residuals(model, kind="quantile").get_xlabel()
    'quantile of a normal distribution'
    """
    check_is_fitted(model)
    if kind not in ("time", "quantile"):
        raise ValueError(f'kind must be one of time|quantile, not "{kind}"')
    residuals = model._explained().residuals
    ax = _axes(ax, 8, 3.2) if kind == "time" else _axes(ax, 4.6, 4.4)
    if kind == "time":
        _draw_residuals_in_order(ax, residuals, _inputs(model.model_.data))
    else:
        _draw_residual_quantiles(ax, residuals)
    ax.set_ylabel("leave-one-out residual\n(standard deviations)")
    return ax


def _draw_residuals_in_order(ax: Axes, residuals: Floats, inputs: list[_Input]) -> None:
    for place, style in ((-2, "--"), (0, "-"), (2, "--")):
        ax.axhline(place, color=_ink(), alpha=0.5, linewidth=0.8, linestyle=style)
    if len(inputs) == 1:
        x = _on_axis(inputs[0].values, inputs[0].kind)
        _label_input(ax, inputs[0])
    else:
        x = np.arange(len(residuals))
        ax.set_xlabel("row")
    ax.plot(x, residuals, ".", color="C0", markersize=5)
    ax.margins(x=0.02)


def _draw_residual_quantiles(ax: Axes, residuals: Floats) -> None:
    normal = statistics.NormalDist()
    count = len(residuals)
    quantiles = [normal.inv_cdf((i + 0.5) / count) for i in range(count)]
    ax.axline((0, 0), slope=1, color=_ink(), alpha=0.5, linewidth=0.8)
    ax.plot(quantiles, np.sort(residuals), ".", color="C0", markersize=5)
    ax.set_xlabel("quantile of a normal distribution")
