"""Tables of other libraries keep their names and types."""

import sys

import numpy as np
import pandas as pd
import pytest

import covary
from covary import KernelSearchRegressor

quick = dict(max_evaluations=4, restarts=2, finalists=1, quiet=True)
x = np.linspace(0, 5, 24)
y = np.sin(x) + (np.arange(24) % 2)
days = pd.date_range("2024-01-01", periods=24)
frame = pd.DataFrame({"depth": x, "day": days, "side": ["left", "right"] * 12})


class SpeaksDataframe:
    """No data frame that we know; it hands itself over by the dataframe protocol."""

    def __init__(self, own):
        self._own = own

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return pd.DataFrame(self._own).__dataframe__(nan_as_null, allow_copy)


class SpeaksArrow:
    """The same by Arrow's."""

    def __init__(self, own):
        self._own = own

    def __arrow_c_stream__(self, requested_schema=None):
        return pytest.importorskip("pyarrow").table(self._own).__arrow_c_stream__(requested_schema)


def polars(own):
    pytest.importorskip("pyarrow")
    return pytest.importorskip("polars").DataFrame({name: own[name].to_list() for name in own})


def arrow(own):
    return pytest.importorskip("pyarrow").table({name: own[name].to_list() for name in own})


@pytest.fixture(scope="module")
def expected():
    return KernelSearchRegressor(**quick).fit(frame, y)


@pytest.mark.filterwarnings("ignore:.*interchange:DeprecationWarning", "ignore:.*interchange:FutureWarning")
@pytest.mark.parametrize("table_of", [SpeaksDataframe, SpeaksArrow, polars, arrow])
def test_a_table_of_another_library_keeps_its_names(expected, table_of):
    if table_of is SpeaksArrow:
        pytest.importorskip("pyarrow")
    table = table_of(frame)
    model = KernelSearchRegressor(**quick).fit(table, y)
    assert list(model.feature_names_in_) == ["depth", "day", "side"]
    assert model.model_.data.fingerprint == expected.model_.data.fingerprint
    assert model.kernel_ == expected.kernel_
    np.testing.assert_array_equal(model.predict(table), expected.predict(frame))
    assert covary.make_dataset(table, y).input_names == ["depth", "day", "side"]
    with pytest.raises(ValueError, match="same order as they were in fit"):
        model.predict(table_of(frame[["side", "day", "depth"]]))


def test_a_target_of_another_library_keeps_its_name():
    series = pytest.importorskip("polars").Series("height", y)
    assert KernelSearchRegressor(**quick).fit(frame, series).model_.data.target_name == "height"


def test_arrow_without_a_reader_is_refused_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"SpeaksArrow is read by way of pyarrow; install it, or give X.to_pandas"):
        KernelSearchRegressor(**quick).fit(SpeaksArrow(frame), y)


def test_a_lazy_table_is_refused_with_the_way_out():
    LazyFrame = type("LazyFrame", (), {"__module__": "polars.lazyframe.frame"})
    with pytest.raises(ValueError, match=r"a polars LazyFrame has no rows yet; give X\.collect\(\)"):
        KernelSearchRegressor(**quick).fit(LazyFrame(), y)


def test_what_is_masked_is_missing():
    table = np.ma.masked_array(np.column_stack([x, x**2]), mask=False)
    table.mask[4, 1] = True
    with pytest.raises(ValueError, match='row 5, column "x1": "NaN" stands for a missing value'):
        KernelSearchRegressor(**quick).fit(table, y)
    target = np.ma.masked_array(y, mask=x > 4.9)
    with pytest.raises(ValueError, match='row 24, column "y": "NaN" stands for a missing value'):
        KernelSearchRegressor(**quick).fit(frame, target)
    with pytest.raises(ValueError, match="NaN is no value"):
        KernelSearchRegressor(**quick).fit(table.data, y).predict(table)


def test_a_category_may_be_named_without_a_list():
    model = KernelSearchRegressor(**quick, categories="depth").fit(frame.assign(depth=[1, 2, 3, 4] * 6), y)
    assert model.model_.data.fingerprint == (
        KernelSearchRegressor(**quick, categories=["depth"])
        .fit(frame.assign(depth=[1, 2, 3, 4] * 6), y)
        .model_.data.fingerprint
    )
