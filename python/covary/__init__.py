"""Covary finds the structure of a Gaussian process for a table of numbers.

>>> import numpy as np, covary
>>> x = np.linspace(0, 1, 40)[:, None]
>>> model = covary.KernelSearchRegressor(max_evaluations=6, restarts=2).fit(x, 3 * x.ravel())
>>> model.predict(x[:2]).round(2)
array([0.  , 0.08])
"""

from . import plots
from ._data import make_dataset, read_csv
from ._engine import (
    Dataset,
    Ensemble,
    Evaluation,
    Expression,
    FittedModel,
    SearchResult,
    SearchTask,
    change_point,
    neighbours,
    random_walk,
)
from ._engine import version as __version__
from ._explanation import Explanation
from ._expressions import Distances, distance, evaluate, fitted_model
from ._search import Search
from .regressor import DataNote, KernelSearchRegressor

__all__ = [
    "DataNote",
    "Dataset",
    "Distances",
    "Ensemble",
    "Evaluation",
    "Explanation",
    "Expression",
    "FittedModel",
    "KernelSearchRegressor",
    "Search",
    "SearchResult",
    "SearchTask",
    "__version__",
    "change_point",
    "distance",
    "evaluate",
    "fitted_model",
    "make_dataset",
    "neighbours",
    "plots",
    "random_walk",
    "read_csv",
]
