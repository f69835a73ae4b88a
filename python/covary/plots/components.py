"""The additive parts of a model."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import _engine
from .canvas import (
    AS_IT_IS,
    Floats,
    Input,
    checked_extent,
    columns_along,
    draw_along,
    draw_band,
    grid_along,
    ink,
    inputs_of,
    label_input,
    mark_end_of_data,
    on_axis,
    place_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..regressor import KernelSearchRegressor

_MOST_COLUMNS = 3  # of the grid of panels for the parts of a model of several inputs


def plot_components(
    model: KernelSearchRegressor,
    axes: Any = None,
    *,
    extend: float | None = None,
    num_points: int = 1000,
) -> NDArray[Any]:
    """The additive parts of the model, a panel each, the most useful first.

    A part of one input is a curve along it, with a band of two standard deviations of the part itself
    (no noise); of a category, a dot and a bar for each level. A part of several inputs is shown at the rows of the data, over its first input and
    coloured by its second. Parts are zero in the mean; with the offset they add up to the prediction.
    Of an ensemble, the parts of its best kernel.

    Parameters
    ----------
    model : KernelSearchRegressor
        A fitted one.
    axes : Axes or array of Axes, optional
        To draw on, at least one for each part; a new figure if not given.
    extend : float, optional
        How far to look beyond the data, as a share of their range. A quarter if not given, and nothing
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
    inputs = inputs_of(explanation.decomposition.data)
    extent = checked_extent(extend, num_points, inputs)
    panels = _panels(axes, len(explanation.order), len(inputs))
    several = len(explanation.order) > 1
    for place, (panel, component) in enumerate(zip(panels, explanation.order, strict=True)):
        own = [inputs[i] for i in explanation.decomposition.inputs(component)]
        if len(own) == 1:
            grid = grid_along(own[0], extent, num_points)
            _draw_part_along(panel, explanation.decomposition, component, inputs, own[0], grid)
            if extent > 0 and not own[0].is_category:
                mark_end_of_data(panel, own[0])
        else:
            _draw_part_at_rows(panel, explanation.decomposition, component, inputs, own)
        panel.axhline(0, color=ink(), alpha=0.4, linewidth=0.8, zorder=0)
        data = model.model_.data
        name = data.target_name
        panel.set_ylabel(
            name if data.target_transform == "none" else f"{data.target_transform}({name})", **AS_IT_IS
        )
        title = explanation.titles[place]
        title = _wrapped(f"{place + 1}. {title}" if several else title, panel)
        panel.set_title(title, fontsize="medium", **AS_IT_IS)
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
    inputs: list[Input],
    along: Input,
    grid: Floats,
) -> None:
    mean, sd = parts.curve(component, columns_along(inputs, along, grid))
    x = on_axis(grid, along.kind)
    draw_along(panel, along, x, mean)
    draw_band(panel, along, x, mean - 2 * sd, mean + 2 * sd, alpha=0.2)
    label_input(panel, along)
    panel.margins(x=0.01)


def _draw_part_at_rows(
    panel: Axes, parts: _engine.Decomposition, component: int, inputs: list[Input], own: list[Input]
) -> None:
    mean, sd = parts.curve(component, [column.values for column in inputs])
    x = on_axis(own[0].values, own[0].kind)
    panel.vlines(x, mean - 2 * sd, mean + 2 * sd, color=ink(), alpha=0.15, linewidth=1)
    points = panel.scatter(x, mean, c=own[1].values, s=10, zorder=3)
    bar = panel.figure.colorbar(points, ax=panel)
    bar.ax.set_ylabel(own[1].name, **AS_IT_IS)
    if own[1].kind != "number":
        bar.ax.yaxis.set_major_formatter(lambda value, _: place_text(value, own[1]))
    label_input(panel, own[0])
