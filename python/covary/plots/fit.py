"""The data and what the model makes of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .canvas import (
    AS_IT_IS,
    Floats,
    Input,
    axes_or_new,
    checked_extent,
    columns_along,
    draw_along,
    draw_band,
    grid_along,
    ink,
    input_named,
    inputs_of,
    keep_data_in_sight,
    label_input,
    mark_end_of_data,
    on_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..regressor import KernelSearchRegressor


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
        How far to look beyond the data, as a share of their range. A quarter if not given, and nothing
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
    inputs = inputs_of(model.model_.data)
    extent = checked_extent(extend, num_points, inputs)
    if column is None and len(inputs) > 1:
        return _draw_predicted_and_observed(model, ax, widest_first)
    along = inputs[0] if column is None else input_named(inputs, column)
    ax = axes_or_new(ax, 8, 3.8)
    _draw_fit_along(ax, model, along, grid_along(along, extent, num_points), widest_first)
    if len(inputs) > 1:
        ax.set_title(f"Along {along.name}, the other inputs at their medians", **AS_IT_IS)
    if extent > 0 and not along.is_category:
        mark_end_of_data(ax, along)
    ax.legend(fontsize="small")
    return ax


def _draw_fit_along(
    ax: Axes, model: KernelSearchRegressor, along: Input, grid: Floats, levels: list[float]
) -> None:
    data = model.model_.data
    inputs = inputs_of(data)
    x = on_axis(grid, along.kind)
    rows = on_axis(along.values, along.kind)
    if len(inputs) == 1:
        ax.plot(rows, data.target, ".", color=ink(), markersize=4, alpha=0.7, label="data")
    else:
        # The rows have other inputs than the curve, so only where they lie along it can be shown.
        ax.plot(
            rows, np.zeros(len(rows)), "|", color=ink(), alpha=0.4, markersize=8, label="rows",
            transform=ax.get_xaxis_transform(),
        )
    prediction = model.model_.predict(columns_along(inputs, along, grid))
    draw_along(ax, along, x, prediction.mean, label="mean")
    for place, level in enumerate(levels):
        lower, upper = prediction.interval(level)
        alpha = min(0.18 + 0.14 * place, 0.6)
        draw_band(ax, along, x, lower, upper, alpha, label=_level_text(level))
    if levels:
        keep_data_in_sight(ax, data.target, *prediction.interval(levels[0]))
    label_input(ax, along)
    ax.set_ylabel(data.target_name, **AS_IT_IS)
    ax.margins(x=0.01)


def _draw_predicted_and_observed(model: KernelSearchRegressor, ax: Axes | None, levels: list[float]) -> Axes:
    ax = axes_or_new(ax, 5.6, 5)
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
        (observed.min(), observed.min()), slope=1, color=ink(), alpha=0.6, linewidth=1, linestyle="--",
        label="predicted as observed",
    )
    ax.set_xlabel(f"{data.target_name}, observed", **AS_IT_IS)
    ax.set_ylabel(f"{data.target_name}, predicted", **AS_IT_IS)
    ax.legend(fontsize="small")
    return ax
