"""What Python's users read when something is wrong: true sentences, in Python's words."""

import re

import numpy as np
import pandas as pd
import pytest

import covary
from covary import KernelSearchRegressor, _engine

quick = dict(max_evaluations=4, restarts=2, finalists=1, quiet=True)


def some_table(num_rows=20):
    x = np.linspace(0, 5, num_rows)
    return pd.DataFrame({"x": x, "slope": x**2 % 3}), np.sin(x) + 0.1 * x


def with_hole(value=np.nan):
    X, y = some_table()
    X.loc[2, "slope"] = value
    return X, y


def fit(X, y, **settings):
    return KernelSearchRegressor(**{**quick, **settings}).fit(X, y)


def run_twice(folder, **changes):
    X, y = some_table()
    fit(X, y, out=folder)
    fit(X, y, out=folder, **changes)


def save_twice(folder):
    model = fit(*some_table())
    model.save(folder / "model.json")
    model.save(folder / "model.json")


def read(folder, text, **options):
    (folder / "table.csv").write_text(text)
    return covary.read_csv(folder / "table.csv", **{"target": "y", **options})


lines = "".join(f"{i},{i * i % 7},{i % 2 and 'left' or 'right'}\n" for i in range(12))
table = "x,y,side\n" + lines

faults = {
    "a missing value": (lambda at: fit(*with_hole()), 'row 3, column "slope": .*missing="drop"'),
    "an infinite value": (lambda at: fit(*with_hole(np.inf)), 'row 3, column "slope": .*missing="drop"'),
    "a missing target": (
        lambda at: fit(some_table()[0], [np.nan, *some_table()[1][1:]]),
        'row 1, column "y": .*missing="drop"',
    ),
    "a missing value of make_dataset": (lambda at: covary.make_dataset(*with_hole()), 'missing="drop"'),
    "a missing value of a file": (
        lambda at: read(at, "x,y\n1,2\n,3\n3,4\n4,6\n"),
        r'row 2 \(line 3\), column "x": .*missing="drop"',
    ),
    "an unknown target": (lambda at: read(at, table, target="z"), 'target: no column "z"'),
    "an unknown input": (lambda at: read(at, table, inputs=["z"]), 'inputs: no column "z"'),
    "an input named twice": (lambda at: read(at, table, inputs=["x", "x"]), "inputs: .* named twice"),
    "an unknown category": (lambda at: read(at, table, categories=["z"]), 'categories: no column "z"'),
    "a category of numbers": (
        lambda at: fit(*some_table(), space="SE,CAT(x)"),
        "categories makes",
    ),
    "a constant input": (
        lambda at: read(at, "x,c,y\n1,1,2\n2,1,3\n3,1,5\n", inputs=["c", "x"]),
        "leave it out of inputs",
    ),
    "no header": (lambda at: read(at, "1,\n2,3\n", target="1"), "no_header=True"),
    "a transform that does not suit": (
        lambda at: fit(some_table()[0], some_table()[1] - 5, target_transform="log"),
        'target_transform="log" needs',
    ),
    "a run that is there": (lambda at: run_twice(at / "run"), "resume=True, or replace it with force=True"),
    "a run of other settings": (
        lambda at: run_twice(at / "run", resume=True, space="SE"),
        r'with space="auto".* force=True',
    ),
    "a run of another seed": (
        lambda at: run_twice(at / "run", resume=True, random_state=2),
        "with random_state=1, now it is 2",
    ),
    "a run of unscaled data": (
        lambda at: run_twice(at / "run", resume=True, no_scale=True),
        "leave out no_scale",
    ),
    "a folder of other files": (lambda at: fit(*some_table(), out=at.parent), "another place with out"),
    "a model that is there": (save_twice, "overwrite=True"),
    "repeated times": (
        lambda at: fit(pd.DataFrame({"t": [1.0, 2, 3, 4, 4, 5]}), range(6)).forecast(2),
        "tells them apart with group",
    ),
}


@pytest.mark.parametrize("fault", faults)
def test_messages_name_options_as_python_writes_them(fault, tmp_path):
    provoke, words = faults[fault]
    place = tmp_path / "place"
    place.mkdir()
    (tmp_path / "other.txt").write_text("")
    with pytest.raises((ValueError, OSError), match=words) as caught:
        provoke(place)
    assert not re.search(r"(?<![\w-])--[a-z]", str(caught.value)), caught.value


def test_help_and_notes_name_options_as_python_writes_them(tmp_path):
    texts = [text for _, *facts in _engine.search_settings() for text in facts]
    texts += read(tmp_path, "x,g,t,y\n" + "".join(f"{i},{i % 3},w{i},{i * i % 7}\n" for i in range(30))).notes
    assert any('space="auto"' in text for text in texts)
    assert any("name it in categories" in text for text in texts)
    assert not [text for text in texts if re.search(r"(?<![\w-])--[a-z]", text)]


# ---- Missing values --------------------------------------------------------------------------------


def test_rows_that_miss_something_are_left_out_on_demand():
    X, y = some_table()
    holes = X.copy()
    holes.loc[2, "slope"] = np.nan
    holes.loc[4, "x"] = np.inf
    target = y.copy()
    target[7] = np.nan
    kept = [i for i in range(len(y)) if i not in (2, 4, 7)]
    dropped = fit(holes, target, missing="drop")
    np.testing.assert_array_equal(dropped.predict(X), fit(X.iloc[kept], y[kept]).predict(X))
    data = covary.make_dataset(holes, pd.Series(target), missing="drop")
    assert data.num_rows == len(kept)
    assert any("3 of 20 rows have missing" in note for note in data.notes)


def test_missing_values_of_nullable_columns_are_missing_values():
    X, y = some_table()
    X["count"] = pd.array([None, *range(1, 20)], dtype="Int64")
    with pytest.raises(ValueError, match='row 1, column "count": .*missing="drop"'):
        fit(X, y)
    assert fit(X, y, missing="drop").model_.data.num_rows == 19
    target = pd.Series([pd.NA, *range(1, 20)], dtype="Int64", name="n")
    with pytest.raises(ValueError, match='row 1, column "n": .*missing="drop"'):
        fit(X[["x"]], target)
    assert fit(X[["x"]], target, missing="drop").model_.data.num_rows == 19


def test_a_prediction_names_the_row_that_misses_something():
    X, y = some_table()
    model = fit(X, y, missing="drop")
    with pytest.raises(ValueError, match='row 3, column "slope": NaN is no value.* leave the row out'):
        model.predict(with_hole()[0])


# ---- Columns ---------------------------------------------------------------------------------------


def test_columns_in_another_order_are_refused_with_the_reason():
    X, y = some_table()
    X["side"] = ["left", "right"] * 10
    model = fit(X, y)
    with pytest.raises(ValueError, match="names must be in the same order as they were in fit"):
        model.predict(X[["side", "slope", "x"]])
    with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- slope"):
        model.predict(X[["x", "side"]])
    assert model.predict(X[["x", "slope", "side"]]).shape == (20,)


def test_moments_of_several_time_zones_are_moments():
    utc = pd.date_range("2024-03-30", periods=12, freq="6h", tz="UTC")
    mixed = [t.tz_convert("Europe/Berlin" if i % 2 else "America/New_York") for i, t in enumerate(utc)]
    y = np.arange(12.0) ** 1.5
    alike = fit(pd.DataFrame({"t": utc}), y)
    several = fit(pd.DataFrame({"t": pd.Series(mixed, dtype=object)}), y)
    assert several.model_.data.fingerprint == alike.model_.data.fingerprint


def test_moments_with_and_without_a_time_zone_do_not_mix():
    moments = list(pd.date_range("2024-03-30", periods=12, freq="6h", tz="UTC"))
    moments[4] = moments[4].tz_localize(None)
    X = pd.DataFrame({"t": pd.Series(moments, dtype=object)})
    sentence = r"column 't' mixes moments with a time zone \(row 1\) and without one \(row 5\); give"
    with pytest.raises(ValueError, match=sentence):
        fit(X, range(12))
    with pytest.raises(ValueError, match=sentence):
        covary.make_dataset(X, range(12))


def test_a_stranger_in_a_column_is_named():
    X, y = some_table()
    X["count"] = pd.Series([*np.arange(19.0), pd.Timedelta(days=1)], dtype=object)
    with pytest.raises(ValueError, match=r"column 'count' holds Timedelta.* in row 20, which is no number"):
        fit(X, y)


# ---- Threads ---------------------------------------------------------------------------------------


def test_n_jobs_counts_cores_as_scikit_learn_does():
    threads = lambda **given: int(dict(KernelSearchRegressor(**given)._search_options().texts)["threads"])
    cores = threads(n_jobs=-1)
    assert cores >= 1
    assert threads(n_jobs=-2) == max(cores - 1, 1)
    assert threads(n_jobs=3) == threads(threads=3) == 3
    assert threads() == int({name: standard for name, _, _, standard in _engine.search_settings()}["threads"])
    for bad in (0, 1.5, "all", True):
        with pytest.raises(ValueError, match="n_jobs must be a whole number other than 0"):
            threads(n_jobs=bad)
    with pytest.raises(ValueError, match="n_jobs and threads mean the same"):
        threads(n_jobs=2, threads=2)


def test_a_seed_out_of_range_is_called_what_its_user_calls_it():
    for bad in (-1, 2**64):
        with pytest.raises(ValueError, match=rf"random_state must be a whole number from 0 .*, not {bad}$"):
            fit(*some_table(), random_state=bad)


def test_a_folder_without_a_name_is_refused():
    with pytest.raises(ValueError, match="out must name the folder of the run"):
        fit(*some_table(), out="")


# ---- Reports of loaded models ----------------------------------------------------------------------


def test_a_loaded_model_writes_its_report(tmp_path):
    model = fit(*some_table())
    model.save(tmp_path / "model.json")
    loaded = KernelSearchRegressor.load(tmp_path / "model.json")
    loaded.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "log marginal likelihood" in page and 'id="parts"' in page
    assert "kernels were evaluated" not in page and "{{" not in page.split("<script")[0]
    model.report(tmp_path / "with_search.html")
    assert "kernels were evaluated" in (tmp_path / "with_search.html").read_text()


def test_a_model_in_the_folder_of_its_run_reports_its_search(tmp_path):
    model = fit(*some_table(), out=tmp_path / "run")
    loaded = KernelSearchRegressor.load(tmp_path / "run" / "model.json")
    loaded.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "4 kernels were evaluated" in page and model.kernel_ == loaded.kernel_
