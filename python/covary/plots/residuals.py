"""What a model leaves unexplained."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .canvas import (
    Floats,
    Input,
    axes_or_new,
    ink,
    inputs_of,
    label_input,
    on_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..regressor import KernelSearchRegressor


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
    explanation = model._explained()
    residuals = explanation.residuals
    ax = axes_or_new(ax, 8, 3.2) if kind == "time" else axes_or_new(ax, 4.6, 4.4)
    if kind == "time":
        _draw_residuals_in_order(ax, residuals, inputs_of(explanation.decomposition.data))
    else:
        _draw_residual_quantiles(ax, residuals)
    ax.set_ylabel("leave-one-out residual\n(standard deviations)")
    return ax


def _draw_residuals_in_order(ax: Axes, residuals: Floats, inputs: list[Input]) -> None:
    for place, style in ((-2, "--"), (0, "-"), (2, "--")):
        ax.axhline(place, color=ink(), alpha=0.5, linewidth=0.8, linestyle=style)
    if len(inputs) == 1:
        x = on_axis(inputs[0].values, inputs[0].kind)
        label_input(ax, inputs[0])
    else:
        x = np.arange(len(residuals))
        ax.set_xlabel("row")
    ax.plot(x, residuals, ".", color="C0", markersize=5)
    ax.margins(x=0.02)


def _draw_residual_quantiles(ax: Axes, residuals: Floats) -> None:
    normal = statistics.NormalDist()
    count = len(residuals)
    quantiles = [normal.inv_cdf((i + 0.5) / count) for i in range(count)]
    ax.axline((0, 0), slope=1, color=ink(), alpha=0.5, linewidth=0.8)
    ax.plot(quantiles, np.sort(residuals), ".", color="C0", markersize=5)
    ax.set_xlabel("quantile of a normal distribution")
