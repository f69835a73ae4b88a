"""Covary as a forecaster of sktime, for its pipelines, backtests and comparisons."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.base import clone

try:
    from sktime.forecasting.base import BaseForecaster
except ImportError as error:
    raise ImportError("covary.sktime needs sktime: pip install sktime") from error

from .regressor import KernelSearchRegressor

_TIME = "time"


class KernelSearchForecaster(BaseForecaster):  # type: ignore[misc]
    """Gaussian process forecasts whose kernel is found by a search.

    Parameters
    ----------
    regressor : KernelSearchRegressor, optional
        Has the settings of the search; its defaults, without a progress bar, if not given.

    Attributes
    ----------
    regressor_ : KernelSearchRegressor
        Fitted to the series, with all that it can do: ``explain()``, ``report()``, ``components()``, ...

    Examples
    --------
    >>> from sktime.datasets import load_airline
    >>> from covary import KernelSearchRegressor
    >>> from covary.sktime import KernelSearchForecaster
    >>> quick = KernelSearchRegressor(max_evaluations=4, restarts=2, quiet=True)
    >>> forecaster = KernelSearchForecaster(quick).fit(load_airline())
    >>> forecaster.predict_interval(fh=[1, 2, 3], coverage=0.8).shape
    (3, 2)
    """

    _tags = {
        "authors": ["The Covary developers"],
        "maintainers": ["The Covary developers"],
        "python_dependencies": "covary",
        "capability:multivariate": False,
        "capability:exogenous": False,
        "capability:insample": True,
        "capability:pred_int": True,
        "capability:pred_int:insample": True,
        "capability:missing_values": True,
        "y_inner_mtype": "pd.Series",
        "X_inner_mtype": "pd.DataFrame",
        "requires-fh-in-fit": False,
    }

    def __init__(self, regressor: KernelSearchRegressor | None = None) -> None:
        self.regressor = regressor
        super().__init__()

    def _fit(self, y: pd.Series[Any], X: Any, fh: Any) -> KernelSearchForecaster:
        given = KernelSearchRegressor(quiet=True) if self.regressor is None else self.regressor
        self._name = y.name
        known = y.dropna()
        self.regressor_ = clone(given).fit(_times(known.index), known.to_numpy())
        return self

    def _columns(self, fh: Any) -> tuple[pd.Index[Any], pd.DataFrame]:
        index = fh.to_absolute_index(self.cutoff)
        return index, _times(index)

    def _predict(self, fh: Any, X: Any) -> pd.Series[Any]:
        index, times = self._columns(fh)
        return pd.Series(self.regressor_.predict(times), index=index, name=self._name)

    def _predict_quantiles(self, fh: Any, X: Any, alpha: list[float]) -> pd.DataFrame:
        index, times = self._columns(fh)
        _, quantiles = self.regressor_.predict(times, return_quantiles=alpha)
        names = self._get_varnames()
        return pd.DataFrame(quantiles, index=index, columns=pd.MultiIndex.from_product([names, alpha]))

    def _predict_var(self, fh: Any, X: Any, cov: bool = False) -> pd.DataFrame:
        index, times = self._columns(fh)
        if cov and self.regressor_.target_transform_ == "none":
            _, covariance = self.regressor_.predict(times, return_cov=True)
            return pd.DataFrame(covariance, index=index, columns=index)
        _, sd = self.regressor_.predict(times, return_std=True)
        if cov:
            raise NotImplementedError(
                "of a transformed target there is no covariance; search with target_transform=\"none\""
            )
        return pd.DataFrame(sd**2, index=index, columns=self._get_varnames())

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Small searches, for sktime's own checks."""
        quick: dict[str, Any] = dict(max_evaluations=3, restarts=1, finalists=1, threads=1, quiet=True)
        return [
            {"regressor": KernelSearchRegressor(**quick, target_transform="none")},
            {"regressor": KernelSearchRegressor(**quick, space="SE,LIN", ensemble=2)},
        ]


def _times(index: pd.Index[Any]) -> pd.DataFrame:
    """A series' index as the input of a model: numbers as they are, periods by their first day."""
    return pd.DataFrame({_TIME: pd.Series(index)})
