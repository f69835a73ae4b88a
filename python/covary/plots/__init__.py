"""Pictures of a fitted estimator, drawn with matplotlib.

Every function takes axes to draw on or makes a figure of its own, gives the axes back for whoever
wants to change them, and shows nothing by itself. The numbers are the engine's. Colours are those of
the matplotlib style in force.
"""

from .components import plot_components
from .fit import plot_fit
from .history import plot_history
from .residuals import plot_residuals

__all__ = ["plot_components", "plot_fit", "plot_history", "plot_residuals"]
