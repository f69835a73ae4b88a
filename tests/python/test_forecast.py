"""The next steps of a series, from Python."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest

from covary import KernelSearchRegressor

quick = dict(max_evaluations=6, restarts=2, finalists=1, threads=1, quiet=True)
covary_program = os.environ.get("COVARY_PROGRAM")


def months(count=36):
    index = pd.date_range("2020-01-31", periods=count, freq="ME")
    step = np.arange(count)
    return pd.DataFrame({"month": index}), pd.Series(50 + step + 9 * np.sin(step * np.pi / 6), name="sales")


@pytest.fixture(scope="module")
def model():
    return KernelSearchRegressor(**quick).fit(*months())


def test_steps_follow_the_calendar(model):
    found = model.forecast(3)
    assert list(found.index.strftime("%Y-%m-%d")) == ["2023-01-31", "2023-02-28", "2023-03-31"]
    assert found.index.name == "month"
    assert list(found) == ["mean", "median", "sd", "lower_80", "upper_80", "lower_95", "upper_95"]


def test_it_is_the_prediction_at_these_times(model):
    found = model.forecast(4, levels=[90])
    X = pd.DataFrame({"month": found.index})
    mean, sd, quantiles = model.predict(X, return_std=True, return_quantiles=[0.05, 0.5, 0.95])
    assert (found["mean"] == mean).all() and (found["sd"] == sd).all()
    assert np.allclose(found[["lower_90", "median", "upper_90"]], quantiles, rtol=1e-9)


def test_numbers_stay_numbers():
    x = np.arange(20.0)
    found = KernelSearchRegressor(**quick).fit(x[:, None], x + np.sin(x)).forecast(2)
    assert list(found.index) == [20.0, 21.0]


@pytest.mark.skipif(covary_program is None, reason="COVARY_PROGRAM does not name the command line's program")
def test_it_is_what_the_command_line_prints(tmp_path):
    X, y = months()
    pd.concat([X, y], axis=1).to_csv(tmp_path / "sales.csv", index=False)
    settings = "--max-evaluations 6 --restarts 2 --finalists 1 --threads 1 --quiet"
    subprocess.run(
        [covary_program, "forecast", "sales.csv", "--target", "sales", "--horizon", "5", *settings.split()],
        cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )
    printed = pd.read_csv(tmp_path / "sales.covary/forecast.csv", index_col="month", parse_dates=True)
    loaded = KernelSearchRegressor.load(tmp_path / "sales.covary/model.json").forecast(5)
    pd.testing.assert_frame_equal(printed, loaded, check_index_type=False, check_freq=False, rtol=1e-12)


def test_what_has_no_next_step_is_refused(model):
    with pytest.raises(ValueError, match="horizon must be 1 or more"):
        model.forecast(0)
    with pytest.raises(ValueError, match="between 0 and 100"):
        model.forecast(3, levels=[120])
    X, y = months()
    uneven = X.drop(index=3)
    uneven.loc[7, "month"] += pd.Timedelta(days=2)
    with pytest.raises(ValueError, match="no regular step"):
        KernelSearchRegressor(**quick).fit(uneven, y.drop(index=3)).forecast(3)
    X["price"] = y**2
    with pytest.raises(ValueError, match="one input, the time"):
        KernelSearchRegressor(**quick).fit(X, y).forecast(3)
