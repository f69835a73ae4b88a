"""How a search went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._settings import criterion_of
from .canvas import (
    Floats,
    axes_or_new,
    ink,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..regressor import KernelSearchRegressor


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

    ax = axes_or_new(ax, 8, 3.4)
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
            number[~has_value], np.full((~has_value).sum(), 0.02), "x", color=ink(), markersize=5,
            label="could not be fitted", transform=ax.get_xaxis_transform(),
        )
    ax.step(number, history["best_so_far"].to_numpy(), where="post", color="C1", label="best so far")
    _leave_out_the_worst(ax, values[has_value])
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set_xlabel("evaluation")
    ax.set_ylabel(f"{criterion_of(model._options).title} per row")
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
