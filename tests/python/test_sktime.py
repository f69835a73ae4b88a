"""What sktime asks of every forecaster; skipped where it is not installed."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sktime", reason="sktime is not installed")

from covary import KernelSearchRegressor
from covary.sktime import KernelSearchForecaster

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::FutureWarning")]
quick = KernelSearchRegressor(max_evaluations=6, restarts=2, finalists=1, threads=1, quiet=True)


def series():
    index = pd.period_range("2020-01", periods=36, freq="M")
    return pd.Series(50 + np.arange(36) + 9 * np.sin(np.arange(36) * np.pi / 6), index=index, name="sales")


def test_it_predicts_what_the_regressor_forecasts():
    y = series()
    forecaster = KernelSearchForecaster(quick).fit(y)
    predicted = forecaster.predict(fh=[1, 2, 3])
    expected = forecaster.regressor_.forecast(3)
    assert list(predicted.index) == list(pd.period_range("2023-01", periods=3, freq="M"))
    assert np.allclose(predicted, expected["mean"], rtol=1e-12)
    interval = forecaster.predict_interval(fh=[1, 2, 3], coverage=0.8)
    assert np.allclose(interval, expected[["lower_80", "upper_80"]], rtol=1e-9)


def test_missing_values_are_left_out():
    y = series()
    y.iloc[[4, 17]] = np.nan
    forecaster = KernelSearchForecaster(quick).fit(y)
    assert forecaster.regressor_.model_.data.num_rows == 34
    assert np.isfinite(forecaster.predict(fh=[-18, 1])).all()


def test_it_passes_the_checks_of_sktime():
    from sktime.utils.estimator_checks import check_estimator

    check_estimator(KernelSearchForecaster, raise_exceptions=True, verbose=False)
