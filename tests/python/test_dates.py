"""Columns of text that are dates: the rules of files, models, pickles and forecasts."""

import pickle

import numpy as np
import pandas as pd
import pytest

import covary
from covary import KernelSearchRegressor

quick = dict(max_evaluations=3, restarts=2, finalists=1, random_state=1, quiet=True)


def quarters(num_rows=24):
    names = [f"{1990 + i // 4}Q{i % 4 + 1}" for i in range(num_rows)]
    target = [10 + i % 4 + 0.1 * i for i in range(num_rows)]
    return pd.DataFrame({"quarter": names}), pd.Series(target, name="y")


@pytest.mark.parametrize("dtype", ["object", "string"])
def test_text_in_one_format_is_dates(dtype):
    X, y = quarters()
    data = covary.make_dataset(X.astype(dtype), y)
    assert [kind for _, kind, _, _ in data.input_scalings] == ["date"]
    assert data.input_date_formats == ["YYYYQq"]
    moments = pd.DataFrame({"quarter": pd.PeriodIndex(X["quarter"], freq="Q").to_timestamp()})
    assert np.array_equal(data.scaled_inputs[0], covary.make_dataset(moments, y).scaled_inputs[0])
    assert pickle.loads(pickle.dumps(data)).input_date_formats == ["YYYYQq"]


def test_one_row_says_which_number_is_the_day_and_none_is_an_error():
    y = [1.0, 2, 4, 3]
    day_first = covary.make_dataset(pd.DataFrame({"d": ["3/4/2024", "4/4/2024", "13/4/2024", "5/4/2024"]}), y)
    assert day_first.input_date_formats == ["D/M/YYYY"]
    with pytest.raises(ValueError, match='column "d": no date says whether the day or the month is first'):
        covary.make_dataset(pd.DataFrame({"d": ["03/04/2024", "04/04/2024", "05/04/2024", "06/04/2024"]}), y)
    with pytest.raises(ValueError, match='column "d": "abc" in row 2 is not a date'):
        covary.make_dataset(pd.DataFrame({"d": ["3.4.2024", "abc", "13.4.2024", "5.4.2024"]}), y)


def test_a_model_of_such_a_column_takes_text_and_moments_and_forecasts():
    X, y = quarters()
    model = KernelSearchRegressor(**quick).fit(X, y)
    moments = pd.DataFrame({"quarter": pd.PeriodIndex(X["quarter"], freq="Q").to_timestamp()})
    assert np.array_equal(model.predict(X), model.predict(moments))
    assert list(model.forecast(2).index) == [pd.Timestamp("1996-01-01"), pd.Timestamp("1996-04-01")]


def test_named_categories_stay_categories():
    X, y = quarters()
    repeated = pd.DataFrame({"quarter": list(X["quarter"][:6]) * 4})
    data = covary.make_dataset(repeated, y, categories=["quarter"])
    assert data.input_levels == [["1990Q1", "1990Q2", "1990Q3", "1990Q4", "1991Q1", "1991Q2"]]


def test_a_constant_target_has_its_constant_model():
    X, _ = quarters()
    model = KernelSearchRegressor(**quick).fit(X, np.full(len(X), 2.5))
    mean, sd = model.predict(X, return_std=True)
    assert model.kernel_ == "C"
    assert np.all(mean == 2.5) and np.all((sd > 0) & (sd < 1e-12))
