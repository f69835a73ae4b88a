"""A fitted model for other libraries: scikit-learn, and source text for GPyTorch and GPflow."""

from .gpflow_source import to_gpflow_code
from .gpytorch_source import to_gpytorch_code
from .sklearn_model import ChangePoint, OnInput, ScaledInputs, TransformedTarget, to_sklearn

__all__ = [
    "ChangePoint",
    "OnInput",
    "ScaledInputs",
    "TransformedTarget",
    "to_gpflow_code",
    "to_gpytorch_code",
    "to_sklearn",
]
