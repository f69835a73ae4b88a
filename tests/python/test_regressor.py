"""The estimator's own claims: names, units, dates, files, pickles, interruptions, words."""

import csv
import inspect
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import covary
from covary import KernelSearchRegressor, _engine

quick = dict(max_evaluations=8, restarts=3, finalists=2, quiet=True)
here = os.path.dirname(os.path.abspath(__file__))
airline_path = os.path.join(here, "../../examples/data/airline.csv")
covary_program = os.environ.get("COVARY_PROGRAM")
needs_program = pytest.mark.skipif(
    covary_program is None, reason="COVARY_PROGRAM does not name the command line's program"
)


def three_inputs(num_rows=60):
    random = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "slope": random.uniform(-3, 9, num_rows),
            "wave length": random.uniform(0, 2, num_rows),
            "unused": random.normal(size=num_rows),
        }
    )
    y = pd.Series(X["slope"] * 2 + np.sin(4 * X["wave length"]), name="height")
    return X, y


@pytest.fixture(scope="module")
def airline():
    return pd.read_csv(airline_path)


@pytest.fixture(scope="module")
def model(airline):
    settings = {**quick, "max_evaluations": 16}
    return KernelSearchRegressor(**settings).fit(airline[["Month"]], airline["Passengers"])


@pytest.fixture(scope="module")
def table():
    X, y = three_inputs()
    return X, y, KernelSearchRegressor(**quick).fit(X, y)


# ---- Settings ------------------------------------------------------------------------------------


def test_parameters_are_those_of_the_command_line():
    of_engine = {name for name, *_ in _engine.search_settings()}
    ours = set(inspect.signature(KernelSearchRegressor).parameters)
    of_data = {"missing", "no_scale", "categories"}
    own = {"preset", "random_state", "n_jobs", "out", "resume", "force", "quiet"}
    assert ours == of_engine | of_data | own
    assert of_data <= {name for name, *_ in _engine.dataset_settings()}


def test_the_defaults_in_the_documentation_are_those_of_a_search():
    text = inspect.getdoc(KernelSearchRegressor)
    used = dict(KernelSearchRegressor()._search_options().texts)
    for name, placeholder, _, standard in _engine.search_settings():
        if placeholder:
            assert used[name] == standard, name
            described = text.split(f"\n{name} : ")[1].split("\n", 1)[1].split(", optional\n")[0]
            assert not standard or f"Default: {standard}." in " ".join(described.split()), name
    assert used["max_leaves"] == "10" and used["restarts"] == "20"


def test_every_parameter_is_documented():
    text = inspect.getdoc(KernelSearchRegressor)
    for name in inspect.signature(KernelSearchRegressor).parameters:
        assert re.search(rf"^{name}\b|, {name} :", text, re.MULTILINE), name
    assert "{settings}" not in text


@pytest.mark.parametrize(
    "bad, sentence",
    [
        (dict(max_evaluations=0), 'max_evaluations must be a whole number of at least 1, not "0"'),
        (dict(max_evaluations=2.5), 'max_evaluations must be a whole number of at least 1, not "2.5"'),
        (dict(method="magic"), "method must be one of sot|hellinger|greedy|treegep|random"),
        (dict(space="SE,LINE"), "LINE"),
        (dict(preset="best"), 'preset must be default or paper, not "best"'),
        (dict(missing="guess"), 'missing must be one of reject|drop, not "guess"'),
        (dict(deterministic="maybe"), "deterministic must be True or False"),
        (dict(resume=True), "resume needs out"),
        (dict(random_state="luck"), "luck"),
        (dict(random_state=-1), "random_state must be a whole number from 0 to 2**64 - 1, not -1"),
    ],
)
def test_bad_settings_are_named_in_one_sentence(bad, sentence):
    X, y = three_inputs(10)
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        KernelSearchRegressor(**{**quick, **bad}).fit(X, y)
    assert "\n" not in str(caught.value)


def test_the_papers_preset_is_that_of_the_engine():
    options = KernelSearchRegressor(preset="paper", restarts=7)._search_options()
    texts = dict(options.texts)
    assert texts["acquisition"] == "paper" and texts["no_warm_starts"] == "yes"
    assert texts["restarts"] == "7" and texts["starts"] == "reference"


def test_the_same_seed_gives_the_same_search_and_another_one_another(airline):
    def history(seed):
        # More than the first sentences and base kernels, which are the same for all.
        regressor = KernelSearchRegressor(**(quick | {"max_evaluations": 24}), random_state=seed)
        return list(regressor.fit(airline[["Month"]], airline["Passengers"]).history_.kernel)

    assert history(3) == history(3) != history(4)
    assert history(np.random.RandomState(1)) == history(np.random.RandomState(1))


# ---- Data ----------------------------------------------------------------------------------------


def test_names_come_from_the_table(table):
    X, y, model = table
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.model_.data.target_name == "height"
    assert "(" in model.kernel_ and ("slope" in model.kernel_)


def test_predictions_do_not_depend_on_how_numbers_are_kept(table):
    X, y, model = table
    expected = model.predict(X)
    for other in (X.astype("float32").astype("float64"), X.to_numpy(), np.asfortranarray(X.to_numpy())):
        plain = KernelSearchRegressor(**quick).fit(np.asarray(X), y)
        assert np.allclose(plain.predict(np.asarray(X)), expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(plain.predict(np.asarray(other)), expected, rtol=1e-4)


def test_a_column_with_one_value_is_left_out_with_a_note(table):
    X, y, model = table
    wide = X.assign(constant=1.0)[["constant", *X.columns]]
    with pytest.warns(covary.DataNote, match="constant"):
        other = KernelSearchRegressor(**{**quick, "quiet": False}).fit(wide, y)
    assert other.kernel_ == model.kernel_
    np.testing.assert_array_equal(other.predict(wide), model.predict(X))


def test_rows_with_missing_values_are_dropped_on_demand(table):
    X, y, model = table
    holes = pd.concat([X, X.head(3).assign(slope=np.nan)], ignore_index=True)
    longer = pd.concat([y, y.head(3)], ignore_index=True)
    with pytest.raises(ValueError, match="NaN"):
        KernelSearchRegressor(**quick).fit(holes, longer)
    dropped = KernelSearchRegressor(**quick, missing="drop").fit(holes, longer)
    np.testing.assert_array_equal(dropped.predict(X), model.predict(X))


@pytest.mark.parametrize("zone", [None, "America/New_York"])
@pytest.mark.parametrize("step, kind", [("D", "date"), ("h", "date_time")])
def test_dates_are_what_the_command_line_reads(zone, step, kind, tmp_path):
    moments = pd.date_range("2020-02-27 00:00", periods=40, freq=step)
    y = np.sin(np.arange(40) / 5.0)
    written = moments.strftime("%Y-%m-%d" if kind == "date" else "%Y-%m-%dT%H:%M:%S")
    pd.DataFrame({"when": written, "y": y}).to_csv(tmp_path / "data.csv", index=False)
    expected = covary.read_csv(tmp_path / "data.csv", target="y")
    shown = moments if zone is None else moments.tz_localize("UTC").tz_convert(zone)
    X = pd.DataFrame({"when": shown})
    model = KernelSearchRegressor(**quick).fit(X, pd.Series(y, name="y"))
    assert model.model_.data.input_scalings == expected.input_scalings
    assert model.model_.data.input_scalings[0][1] == kind
    assert model.model_.data.fingerprint == expected.fingerprint
    later = pd.DataFrame({"when": shown + pd.Timedelta(days=1)})
    assert np.isfinite(model.predict(later)).all()
    with pytest.raises(ValueError, match="'when' holds dates"):
        model.predict(pd.DataFrame({"when": [1.0]}))


def test_python_dates_and_periods_are_dates():
    days = pd.date_range("2021-01-01", periods=12, freq="MS")
    y = np.arange(12.0) ** 1.5
    as_moments = KernelSearchRegressor(**quick).fit(pd.DataFrame({"t": days}), y)
    as_dates = KernelSearchRegressor(**quick).fit(pd.DataFrame({"t": list(days.date)}), y)
    as_periods = KernelSearchRegressor(**quick).fit(pd.DataFrame({"t": days.to_period("M")}), y)
    assert as_moments.kernel_ == as_dates.kernel_ == as_periods.kernel_
    assert as_dates.model_.data.fingerprint == as_moments.model_.data.fingerprint


def test_what_is_neither_numbers_dates_nor_categories_is_refused_by_name():
    X = pd.DataFrame({"x": [1.0, 2, 3, 4], "wait": pd.to_timedelta([1, 2, 3, 4], unit="D")})
    with pytest.raises(ValueError, match="'wait' holds neither numbers, dates nor categories"):
        KernelSearchRegressor(**quick).fit(X, [1.0, 2, 4, 3])


def test_an_input_may_be_called_y():
    X = pd.DataFrame({"y": np.arange(12.0)})
    model = KernelSearchRegressor(**quick).fit(X, np.sin(np.arange(12.0)))
    assert model.model_.data.target_name == "y_target"


# ---- Predictions ---------------------------------------------------------------------------------


def test_spread_covariance_and_quantiles_belong_together(table):
    X, _, model = table
    mean, sd, covariance, quantiles = model.predict(
        X.head(7), return_std=True, return_cov=True, return_quantiles=[0.025, 0.5, 0.975]
    )
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sd, rtol=1e-9)
    np.testing.assert_allclose(covariance, covariance.T)
    # Averaged over parameters, y is nearly Gaussian; at the best parameters it is.
    assert (np.abs(quantiles[:, 1] - mean) < 0.05 * sd).all()
    np.testing.assert_allclose(quantiles[:, 2] - mean, 1.959963984540054 * sd, rtol=0.1)
    best = model.model_.members[0].predict([X.head(7)[name].to_numpy(dtype=float) for name in X.columns])
    np.testing.assert_allclose(best.quantile(0.5), best.mean, rtol=1e-9)
    np.testing.assert_allclose(best.quantile(0.975) - best.mean, 1.959963984540054 * np.asarray(best.sd), rtol=1e-9)
    assert model.predict(X.head(7), return_quantiles=0.9).__len__() == 2
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict(X, return_quantiles=[95])


def test_draws_have_the_mean_and_the_covariance_of_the_prediction(table):
    X, _, model = table
    mean, covariance = model.predict(X.head(4), return_cov=True)
    draws = model.sample_y(X.head(4), n_samples=20_000, random_state=1)
    assert draws.shape == (4, 20_000)
    spread = np.sqrt(np.diag(covariance))
    assert np.abs(draws.mean(axis=1) - mean).max() < 0.05 * spread.max()
    assert np.abs(np.cov(draws) - covariance).max() < 0.05 * spread.max() ** 2
    np.testing.assert_array_equal(draws, model.sample_y(X.head(4), 20_000, random_state=1))


def test_components_add_up_to_the_prediction_of_the_best_member(model, airline):
    beyond = pd.DataFrame({"Month": np.linspace(1949, 1965, 50)}, index=range(100, 150))
    parts = model.components(beyond)
    assert list(parts.index) == list(beyond.index)
    total = parts.xs("mean", axis=1, level=1).sum(axis=1)
    median = model.model_.members[0].predict([beyond["Month"].to_numpy()]).quantile(0.5)
    assert model.target_transform_ == "log"
    np.testing.assert_allclose(total, np.log(median), rtol=1e-8)
    assert (parts.xs("sd", axis=1, level=1) >= 0).all().all()


def test_an_ensemble_predicts_as_a_mixture(airline):
    X, y = airline[["Month"]], airline["Passengers"]
    settings = {**quick, "finalists": 3, "ensemble": 3, "average": "none"}
    mixed = KernelSearchRegressor(**settings, target_transform="none").fit(X, y)
    assert len(mixed.model_) == 3 and abs(sum(mixed.model_.weights) - 1) < 1e-12
    mean, sd, covariance = mixed.predict(X.head(5), return_std=True, return_cov=True)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sd, rtol=1e-9)
    assert "averaged over three kernels; this explains the likeliest" in " ".join(str(mixed.explain()).split())
    # Of a transformed target the covariance is that of the transformed one.
    mixed = KernelSearchRegressor(**settings, target_transform="log").fit(X, y)
    mean, sd, covariance = mixed.predict(X.head(5), return_std=True, return_cov=True)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sd / mean, rtol=1e-2)


def test_a_search_without_a_number_says_what_it_still_expected(airline):
    X, y = airline[["Month"]].head(40), airline["Passengers"].head(40)
    ended = KernelSearchRegressor(**{**quick, "max_evaluations": None}).fit(X, y).search_result_
    assert ended.end in ("nothing_expected", "max_evaluations") and ended.expected_gain >= 0
    assert ended.expected_gain < 0.2 or ended.end == "max_evaluations"
    assert KernelSearchRegressor(**quick).fit(X, y).search_result_.expected_gain is None


# ---- Files and pickles ---------------------------------------------------------------------------


def test_a_saved_model_predicts_the_same_bits(model, airline, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    with pytest.raises(OSError, match="model.json"):
        model.save(path)
    model.save(path, overwrite=True)
    again = KernelSearchRegressor.load(path)
    assert again.kernel_ == model.kernel_
    np.testing.assert_array_equal(again.predict(airline[["Month"]]), model.predict(airline[["Month"]]))
    assert str(again.explain()) == str(model.explain())
    with pytest.raises(FileNotFoundError, match="nothing.json"):
        KernelSearchRegressor.load(tmp_path / "nothing.json")


@needs_program
def test_the_command_line_predicts_a_saved_model_with_equal_numbers(table, tmp_path):
    X, _, model = table
    model.save(tmp_path / "model.json")
    X.to_csv(tmp_path / "new.csv", index=False)
    program = [covary_program, "predict", tmp_path / "model.json", tmp_path / "new.csv"]
    printed = subprocess.run(program, capture_output=True, check=True, text=True).stdout
    told = pd.DataFrame(list(csv.DictReader(io.StringIO(printed)))).astype(float)
    mean, sd, quantiles = model.predict(X, return_std=True, return_quantiles=[0.025, 0.975])
    np.testing.assert_array_equal(told["mean"], mean)
    np.testing.assert_array_equal(told["sd"], sd)
    np.testing.assert_allclose(told[["lower", "upper"]], quantiles, rtol=1e-12)


@needs_program
def test_a_model_of_the_command_line_opens_and_its_search_is_the_same(airline, tmp_path):
    settings = {"max_evaluations": 10, "restarts": 3, "finalists": 2, "threads": 2}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    program = [covary_program, "search", airline_path, "--target=Passengers", f"--out={tmp_path}/run"]
    printed = subprocess.run(
        [*program, *flags, "--json", "--quiet"], capture_output=True, check=True, text=True
    ).stdout
    told = json.loads(printed)
    model = KernelSearchRegressor(**settings, quiet=True).fit(airline[["Month"]], airline["Passengers"])
    assert model.kernel_ == told["kernel"] and model.value_ == told["value"]
    assert list(model.history_.kernel) == [one["kernel"] for one in told["history"]]
    opened = KernelSearchRegressor.load(tmp_path / "run/model.json")
    np.testing.assert_array_equal(opened.predict(airline[["Month"]]), model.predict(airline[["Month"]]))
    # And a run that the command line began goes on here.
    more = KernelSearchRegressor(
        **{**settings, "max_evaluations": 12}, quiet=True, out=f"{tmp_path}/run", resume=True
    ).fit(airline[["Month"]], airline["Passengers"])
    assert list(more.history_.kernel[:10]) == list(model.history_.kernel)


def test_pickles_predict_explain_and_report(model, airline, tmp_path):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(airline[["Month"]]), model.predict(airline[["Month"]]))
    assert str(again.explain()) == str(model.explain())
    pd.testing.assert_frame_equal(again.history_, model.history_)
    again.report(tmp_path / "again.html")
    model.report(tmp_path / "first.html")
    first = (tmp_path / "first.html").read_text()
    assert model.kernel_ in first and "</html>" in first
    assert (tmp_path / "again.html").read_text() == first


def test_clones_have_the_parameters_and_nothing_of_the_fit(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "kernel_")


# ---- In company ----------------------------------------------------------------------------------


def test_at_home_in_pipelines_cross_validation_and_grids(table):
    X, y, _ = table
    pipeline = make_pipeline(StandardScaler(), KernelSearchRegressor(**quick))
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.8
    grid = GridSearchCV(KernelSearchRegressor(**quick), {"space": ["SE", "SE,LIN"]}, cv=2).fit(X, y)
    assert grid.best_params_["space"] in ("SE", "SE,LIN")


def test_threads_of_python_run_while_it_searches(airline):
    """The search goes on until another thread has counted; with Python's lock held it never could."""
    X, y = airline[["Month"]], airline["Passengers"]

    def count():
        for _ in range(100):
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    counter = threading.Thread(target=count)
    counter.start()
    with pytest.raises(KeyboardInterrupt):
        KernelSearchRegressor(max_evaluations=1000, quiet=True).fit(X, y)
    counter.join()


def test_ctrl_c_ends_a_search_at_once_and_keeps_what_is_finished(airline, tmp_path):
    X, y = airline[["Month"]], airline["Passengers"]
    model = KernelSearchRegressor(max_evaluations=1000, quiet=True, out=tmp_path / "run")
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    done = len(model.history_)
    assert 0 < done < 500  # of minutes of work
    assert model.score(X, y) > 0.5
    assert model.search_result_.end == "interrupted"
    more = KernelSearchRegressor(max_evaluations=done + 2, quiet=True, out=tmp_path / "run", resume=True)
    assert list(more.fit(X, y).history_.kernel[:done]) == list(model.history_.kernel)


def test_interrupted_before_the_first_kernel_it_is_not_fitted():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(900, 8)), random.normal(size=900)
    model = KernelSearchRegressor(quiet=True)
    threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "kernel_")


def test_a_folder_that_is_taken_is_refused(airline, tmp_path):
    X, y = airline[["Month"]], airline["Passengers"]
    KernelSearchRegressor(**quick, out=tmp_path / "run").fit(X, y)
    with pytest.raises(OSError, match="run"):
        KernelSearchRegressor(**quick, out=tmp_path / "run").fit(X, y)
    with pytest.raises(ValueError, match="with random_state=1, now it is 2"):
        KernelSearchRegressor(**quick, out=tmp_path / "run", resume=True, random_state=2).fit(X, y)
    KernelSearchRegressor(**quick, out=tmp_path / "run", force=True, random_state=2).fit(X, y)


def test_a_run_goes_on_with_the_rows_and_the_scaling_it_was_made_with(airline, tmp_path):
    out = str(tmp_path / "run")
    settings = dict(max_evaluations=3, restarts=2, finalists=1, threads=1, out=out)
    data = covary.make_dataset(airline[["Month"]], airline["Passengers"])

    def run(data, **more):
        search = covary.Search(data, **{**settings, **more})
        while (task := search.ask()) is not None:
            search.tell(task, search.evaluate(task))
        return search.result()

    first = run(data.rows(list(range(30))))
    with pytest.raises(ValueError, match="other rows of these data"):
        run(data.rows(list(range(30, 60))), resume=True)
    with pytest.raises(ValueError, match="other rows of these data"):
        run(data.rows(list(reversed(range(30)))), resume=True)
    raw = covary.make_dataset(airline[["Month"]], airline["Passengers"], no_scale=True)
    with pytest.raises(ValueError, match="with scaled data, now they are not"):
        run(raw.rows(list(range(30))), resume=True)
    # A pickled copy has the same rows.
    again = pickle.loads(pickle.dumps(data.rows(list(range(30)))))
    assert run(again, resume=True, max_evaluations=4).history["kernel"][:3] == first.history["kernel"]


def test_evaluations_have_every_field_and_travel(airline):
    data = covary.make_dataset(airline[["Month"]], airline["Passengers"])
    evaluation = covary.evaluate(data, "SE + LIN", restarts=2)
    fields = (
        "value outcome message hessian_repaired log_marginal_likelihood log_prior log_posterior jitter parameters "
        "num_starts num_distinct_optima value_evaluations gradient_evaluations seconds"
    ).split()
    again = pickle.loads(pickle.dumps(evaluation))
    for name in fields:
        assert getattr(again, name) == getattr(evaluation, name), name
    assert evaluation.outcome == "converged" and evaluation.value_evaluations > 0
    # What an older version has not pickled is as by default.
    state = {key: value for key, value in evaluation.__getstate__().items() if key != "jitter"}
    older = covary.Evaluation.__new__(covary.Evaluation)
    older.__setstate__(state)
    assert older.jitter == 0.0 and older.value == evaluation.value


# ---- What a person sees --------------------------------------------------------------------------


def test_an_explanation_is_text_and_facts(model):
    explanation = model.explain()
    assert explanation.summary.startswith("Passengers is described as")
    assert explanation.summary[:40] in str(explanation).replace("\n", " ")
    assert len(explanation.components) == len(explanation.to_dict()["components"])
    assert "<pre" in explanation._repr_html_()


script = """
import numpy as np, covary
x = np.linspace(0, 1, 40)[:, None]
covary.KernelSearchRegressor(max_evaluations=6, restarts=2{}).fit(x, np.sin(9 * x.ravel()))
"""


def run_in_a_terminal(code):
    """What a person at a terminal would see on stderr."""
    import fcntl
    import pty
    import struct
    import termios

    master, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    process = subprocess.Popen([sys.executable, "-c", code], stderr=end, stdout=end)
    os.close(end)
    seen = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(master)
    assert process.wait() == 0
    return seen.decode()


def test_a_terminal_shows_a_progress_bar_and_a_file_does_not():
    assert "6/6" in run_in_a_terminal(script.format(""))
    assert run_in_a_terminal(script.format(", quiet=True")) == ""
    silent = subprocess.run([sys.executable, "-c", script.format("")], capture_output=True, check=True)
    assert silent.stderr == b"" and silent.stdout == b""


def test_importing_is_cheap():
    """What only pictures and clusters need is imported when they are asked for."""
    code = "import sys, covary; print([m for m in ('matplotlib.pyplot', 'distributed') if m in sys.modules])"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert seen.stdout.strip() == "[]"


def test_of_many_inputs_those_that_say_something_are_kept_and_predict_takes_the_whole_table():
    random = np.random.default_rng(4)
    X = random.uniform(size=(60, 200))
    y = 3 * X[:, 17] + np.sin(9 * X[:, 101]) + 0.1 * random.normal(size=60)
    settings = quick | dict(quiet=False, max_evaluations=3, screen=2)
    with pytest.warns(covary.regressor.DataNote, match='^2 of 200 inputs are kept, those that say most of "y"'):
        model = KernelSearchRegressor(**settings).fit(X, y)
    assert model.inputs_ == ["x17", "x101"]
    assert model.model_.data.num_candidates == 200
    assert model.score(X, y) > 0.9
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all() and again.model_.data.num_candidates == 200
    with pytest.raises(ValueError, match="screen must be a whole number of at least 1"):
        KernelSearchRegressor(screen=0).fit(X, y)


def test_what_no_number_can_hold_is_an_error_and_never_nan():
    x = np.arange(20.0)[:, None]
    line = KernelSearchRegressor(space="LIN", **quick).fit(x, 2 * x[:, 0])
    sentence = r'^row 2, column "x0": 1e\+200 is so far outside the rows of training \(0 to 19\)'
    with pytest.raises(ValueError, match=sentence):
        line.predict(np.array([[1.0], [1e200]]))
    bend = KernelSearchRegressor(space="MAT52", **quick).fit(x, np.sin(x[:, 0]))
    mean, sd = bend.predict(np.array([[1e200], [-1e308]]), return_std=True)
    assert np.isfinite(mean).all() and np.isfinite(sd).all()
