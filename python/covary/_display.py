"""A fitted estimator as a notebook shows it."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING

from ._settings import criterion_of
from .plots import plot_fit

if TYPE_CHECKING:
    from .regressor import KernelSearchRegressor

# An explanation takes the cube of the rows: at once for this many, minutes for ten times as many.
_MOST_ROWS_TO_EXPLAIN = 1500
_PICTURE_WIDTH, _PICTURE_HEIGHT = 6.4, 3.0  # in inches, 100 of the screen's points each


def estimator_html(model: KernelSearchRegressor) -> str:
    """One HTML block without scripts: the kernel, its value, what it says, and the fit.

    Whatever goes wrong, there is something to show: the estimator's text.
    """
    try:
        return _block(model)
    except Exception:
        return f"<pre>{html.escape(_text_of(model))}</pre>"


def _text_of(model: KernelSearchRegressor) -> str:
    try:
        return repr(model)
    except Exception:
        return type(model).__name__


def _block(model: KernelSearchRegressor) -> str:
    # Words take the colours of the notebook's theme. The picture brings its own background, since its
    # letters are dark on every theme.
    return (
        "<div style='max-width: 46em; line-height: 1.5'>"
        f"<div style='font-weight: 600'>{html.escape(type(model).__name__)}</div>"
        "<code style='background: none; color: inherit; overflow-wrap: anywhere'>"
        f"{html.escape(model.kernel_)}</code>"
        f"<div style='opacity: 0.75'>{html.escape(_figures(model))}</div>"
        f"<p style='margin: 0.5em 0'>{html.escape(_words(model))}</p>"
        f"<img alt='The data and the fit' width='{int(100 * _PICTURE_WIDTH)}' "
        "style='max-width: 100%; background: #fff; border-radius: 4px' "
        f"src='data:image/png;base64,{_picture(model)}'>"
        "</div>"
    )


def _figures(model: KernelSearchRegressor) -> str:
    data = model.model_.data
    found = []
    if hasattr(model, "value_"):
        name = criterion_of(model._options).title
        found.append(f"{name} {model.value_:.2f} ({model.value_ / data.num_rows:.3f} per row)")
    found.append(f"{data.num_rows} rows, {data.num_inputs} {'input' if data.num_inputs == 1 else 'inputs'}")
    num_kernels = len({str(member.kernel) for member in model.model_.members})
    if num_kernels > 1:
        found.append(f"the likeliest of {num_kernels} kernels")
    if hasattr(model, "history_"):
        found.append(f"{len(model.history_)} kernels tried")
    return " · ".join(found)


def _words(model: KernelSearchRegressor) -> str:
    if model.model_.data.num_rows > _MOST_ROWS_TO_EXPLAIN and not hasattr(model, "_explanation"):
        return "explain() says what it is made of; with so many rows that takes a while."
    return model._explained().summary


def _picture(model: KernelSearchRegressor) -> str:
    """The fit as a PNG, apart from pyplot: the notebook's own figures and style are left alone."""
    import matplotlib.style
    from matplotlib.figure import Figure

    with matplotlib.style.context("default"):
        figure = Figure(figsize=(_PICTURE_WIDTH, _PICTURE_HEIGHT), layout="constrained", facecolor="white")
        plot_fit(model, ax=figure.subplots(), num_points=500)
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=130)
    return base64.b64encode(file.getvalue()).decode("ascii")
