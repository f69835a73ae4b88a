"""Pictures show what the engine says, on the axes they are given, whatever the columns are called."""

import base64
import io
import re
import subprocess
import sys
from html.parser import HTMLParser

import matplotlib

matplotlib.use("Agg")

import matplotlib.dates
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

import covary
from covary import KernelSearchRegressor, plots
from covary._display import estimator_html

HOSTILE_INPUT = "</script><b>"
HOSTILE_DATE = "$x_1^"
HOSTILE_TARGET = "a $\\frac$ & 'q' \"$"


def fitted(X, y, **settings):
    quick = dict(max_evaluations=6, restarts=2, finalists=1, threads=1, quiet=True)
    return KernelSearchRegressor(**{**quick, **settings}).fit(X, y)


def wave(num_rows=40):
    x = np.linspace(0, 10, num_rows)
    return x, 0.3 * x + np.sin(x) + np.random.default_rng(1).normal(0, 0.1, num_rows)


@pytest.fixture(scope="module")
def series():
    """One input."""
    x, y = wave()
    return fitted(pd.DataFrame({"time": x}), pd.Series(y, name="height"))


@pytest.fixture(scope="module")
def table():
    """Several inputs, and a part of two of them together, by names that could do harm."""
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            HOSTILE_INPUT: random.uniform(0, 5, 50),
            HOSTILE_DATE: pd.date_range("2020-01-01", periods=50, freq="D"),
            "third": random.uniform(-1, 1, 50),
        }
    )
    y = frame[HOSTILE_INPUT] * np.arange(50) / 20 + frame["third"] + random.normal(0, 0.05, 50)
    kernels = f"LIN(`{HOSTILE_INPUT}`),LIN(`{HOSTILE_DATE}`),SE(third)"
    # Each tree once: of few words, so that the product of all inputs is not the first that is tried.
    settings = dict(space=kernels, max_leaves=3, unique="tree", max_evaluations=30)
    model = fitted(frame, pd.Series(y, name=HOSTILE_TARGET), **settings)
    together = [set(model._explained().decomposition.inputs(i)) for i in model._explained().order]
    assert {0, 1} in together, f"the search was to find a part of two inputs, not {model.kernel_}"
    return model


@pytest.fixture(scope="module")
def days():
    _, y = wave()
    return fitted(pd.DataFrame({HOSTILE_DATE: pd.date_range("2021-03-01", periods=40)}), y)


@pytest.fixture(scope="module")
def hours():
    _, y = wave()
    return fitted(pd.DataFrame({"hour": pd.date_range("2021-03-01", periods=40, freq="h")}), y)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def line(ax, label):
    (found,) = [line for line in ax.lines if line.get_label() == label]
    return found


def bands(ax):
    return {band.get_label(): band for band in ax.collections if isinstance(band, PolyCollection)}


def edges(band, num_points):
    """Lower and upper edge of a band: its outline goes forth along one and back along the other."""
    (path,) = band.get_paths()
    outline = path.vertices[:, 1]
    return outline[1 : num_points + 1], outline[num_points + 2 : 2 * num_points + 2][::-1]


def drawn(ax):
    """The picture as it would be shown: what is wrong with a text comes to light here."""
    ax.figure.savefig(io.BytesIO(), format="png", dpi=40)
    return ax


# ---- The fit -------------------------------------------------------------------------------------


def test_fit_of_one_input_shows_data_mean_and_intervals(series):
    ax = drawn(plots.plot_fit(series, levels=(0.5, 0.9), num_points=60))
    data = series.model_.data
    assert_allclose(line(ax, "data").get_xydata(), np.column_stack([data.inputs[0], data.target]))
    x, mean = line(ax, "mean").get_data()
    prediction = series.model_.predict([x])
    assert_allclose(mean, prediction.mean)
    assert set(bands(ax)) == {"50 % interval", "90 % interval"}
    for level in (0.5, 0.9):
        lower, upper = edges(bands(ax)[f"{100 * level:g} % interval"], 60)
        assert_allclose(lower, prediction.interval(level)[0])
        assert_allclose(upper, prediction.interval(level)[1])
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("time", "height", "")


def test_bands_are_the_quantiles_that_predict_gives(series):
    ax = plots.plot_fit(series, levels=0.95, num_points=30)
    x = line(ax, "mean").get_xdata()
    frame = pd.DataFrame({"time": x})
    _, quantiles = series.predict(frame, return_quantiles=[0.025, 0.975])
    assert_allclose(np.column_stack(edges(bands(ax)["95 % interval"], 30)), quantiles)


def test_fit_goes_beyond_the_data_as_far_as_told(series):
    ax = plots.plot_fit(series)
    assert line(ax, "mean").get_xdata()[-1] == pytest.approx(12.5)
    assert set(line(ax, "end of the data").get_xdata()) == {10.0}
    ax = plots.plot_fit(series, extend=1)
    assert line(ax, "mean").get_xdata()[[0, -1]] == pytest.approx([0, 20])
    ax = plots.plot_fit(series, extend=0)
    assert line(ax, "mean").get_xdata()[-1] == pytest.approx(10)
    assert "end of the data" not in [line.get_label() for line in ax.lines]


def test_a_wide_forecast_leaves_the_data_in_sight(series):
    ax = plots.plot_fit(series, extend=1000)
    target = series.model_.data.target
    low, high = ax.get_ylim()
    assert high - low <= 3.2 * (target.max() - target.min())
    assert low < target.min() and target.max() < high


@pytest.mark.parametrize("which", ["days", "hours"])
def test_dates_are_dates_on_the_axis(which, request):
    model = request.getfixturevalue(which)
    name = model.model_.data.input_names[0]
    step = np.timedelta64(1, "D" if which == "days" else "h")
    pictures = (plots.plot_fit(model), plots.plot_residuals(model), plots.plot_components(model)[-1])
    for ax in pictures:
        assert isinstance(drawn(ax).xaxis.get_major_formatter(), matplotlib.dates.ConciseDateFormatter)
        assert ax.get_xlabel() == name
    ax = plots.plot_fit(model, extend=1)
    start = np.datetime64("2021-03-01", "ms")
    moments = line(ax, "data").get_xdata()
    assert (moments == start + np.arange(40) * step).all()
    assert line(ax, "mean").get_xdata()[[0, -1]].tolist() == [start.item(), (start + 78 * step).item()]
    assert ax.get_xlim()[0] == pytest.approx(matplotlib.dates.date2num(start), abs=1)


def test_fit_of_several_inputs_is_predicted_against_observed(table):
    ax = drawn(plots.plot_fit(table, levels=(0.5, 0.95)))
    data = table.model_.data
    prediction = table.model_.predict(data.inputs)
    points = line(ax, "rows of the fit")
    assert_allclose(points.get_xydata(), np.column_stack([data.target, prediction.mean]))
    bars = {bar.get_label(): bar for bar in ax.collections if isinstance(bar, LineCollection)}
    segments = np.array(bars["95 % interval"].get_segments())
    assert_allclose(segments[:, :, 1], np.column_stack(prediction.interval(0.95)))
    assert line(ax, "predicted as observed").get_slope() == 1
    assert ax.get_xlabel() == f"{HOSTILE_TARGET}, observed"
    assert ax.get_ylabel() == f"{HOSTILE_TARGET}, predicted"


def test_fit_along_a_column_holds_the_others_at_their_medians(table):
    ax = drawn(plots.plot_fit(table, column="third", num_points=50))
    inputs = table.model_.data.inputs
    grid = line(ax, "mean").get_xdata()
    assert grid[[0, -1]] == pytest.approx([inputs[2].min(), inputs[2].max()])
    at_medians = [np.full(50, np.median(inputs[i])) for i in (0, 1)]
    prediction = table.model_.predict([*at_medians, grid])
    assert_allclose(line(ax, "mean").get_ydata(), prediction.mean)
    assert_allclose(edges(bands(ax)["50 % interval"], 50)[0], prediction.interval(0.5)[0])
    assert ax.get_title() == "Along third, the other inputs at their medians"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("third", HOSTILE_TARGET)
    assert_allclose(line(ax, "rows").get_xdata(), inputs[2])


def test_fit_along_a_date_of_several_inputs(table):
    ax = drawn(plots.plot_fit(table, column=HOSTILE_DATE))
    assert line(ax, "mean").get_xdata()[0] == np.datetime64("2020-01-01")
    assert isinstance(ax.xaxis.get_major_formatter(), matplotlib.dates.ConciseDateFormatter)


def test_a_column_may_be_named_of_one_input_too(series):
    ax = plots.plot_fit(series, column="time")
    assert len(line(ax, "data").get_xdata()) == 40
    assert ax.get_title() == ""


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"column": "speed"}, "'speed' is no input of the model; its inputs are time"),
        ({"levels": (0.5, 95)}, "levels are probabilities between 0 and 1"),
        ({"extend": -0.1}, "extend is a share of the data's range, 0 or more, not -0.1"),
        ({"extend": float("nan")}, "extend is a share of the data's range"),
        ({"num_points": 1}, "num_points must be 2 or more, not 1"),
    ],
)
def test_a_wrong_option_is_said(series, options, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        plots.plot_fit(series, **options)
    if options.keys() <= {"extend", "num_points"}:
        with pytest.raises(ValueError, match=re.escape(sentence)):
            plots.plot_components(series, **options)
    assert not plt.get_fignums(), "no empty figure is left behind"


def test_fit_of_an_ensemble_shows_its_mixture():
    x, y = wave(20)
    model = fitted(x[:, None], y, ensemble=3)
    assert len(model.model_) > 1
    ax = plots.plot_fit(model, num_points=20)
    x, mean = line(ax, "mean").get_data()
    prediction = model.model_.predict([x])
    assert_allclose(mean, prediction.mean)
    assert_allclose(edges(bands(ax)["95 % interval"], 20)[1], prediction.interval(0.95)[1])
    assert "the likeliest of 3 kernels" in _Tags(estimator_html(model)).text


# ---- Parts ---------------------------------------------------------------------------------------


def test_parts_of_one_input_are_curves_with_bands(series):
    explanation = series._explained()
    axes = plots.plot_components(series, num_points=40)
    assert len(axes) == len(explanation.order)
    for place, (ax, component) in enumerate(zip(axes, explanation.order, strict=True)):
        curve = drawn(ax).lines[0]
        mean, sd = explanation.decomposition.curve(component, [curve.get_xdata()])
        assert_allclose(curve.get_ydata(), mean)
        (band,) = bands(ax).values()
        assert_allclose(edges(band, 40)[0], mean - 2 * sd)
        assert_allclose(edges(band, 40)[1], mean + 2 * sd)
        assert curve.get_xdata()[-1] == pytest.approx(12.5)
        assert explanation.titles[place] in ax.get_title().replace("\n", " ")
        assert ax.get_ylabel() == "height"
    assert axes[-1].get_xlabel() == "time"


def test_parts_add_up_to_the_prediction_of_the_best_member(series):
    axes = plots.plot_components(series, num_points=40)
    x = axes[0].lines[0].get_xdata()
    total = sum(ax.lines[0].get_ydata() for ax in axes) + series._explained().decomposition.offset
    assert_allclose(total, series.model_.members[0].predict([x]).mean, rtol=1e-6)


def test_a_part_of_several_inputs_is_shown_at_the_rows(table):
    explanation = table._explained()
    data = table.model_.data
    axes = plots.plot_components(table)
    assert len(axes) == len(explanation.order) == len(table.explain().components)
    seen_together = 0
    for ax, component in zip(axes, explanation.order, strict=True):
        own = explanation.decomposition.inputs(component)
        drawn(ax)
        assert ax.get_xlabel() == data.input_names[own[0]]
        if len(own) > 1:
            seen_together += 1
            mean, _ = explanation.decomposition.curve(component, data.inputs)
            points = ax.collections[-1]
            assert_allclose(points.get_offsets()[:, 1], mean)
            assert_allclose(points.get_array(), data.inputs[own[1]])
            assert points.colorbar.ax.get_ylabel() == data.input_names[own[1]]
    assert seen_together


def test_parts_need_an_axes_each(series, table):
    for model in (series, table):
        count = len(model._explained().order)
        given = Figure().subplots(count + 1, squeeze=False)
        axes = plots.plot_components(model, axes=given)
        assert list(axes) == list(given.ravel()[:count])
        assert not given.ravel()[count].has_data(), "what is not needed is left alone"
    count = len(table._explained().order)
    assert count > 1
    sentence = f"the model has {count} parts and needs as many axes, but 1 were given"
    with pytest.raises(ValueError, match=sentence):
        plots.plot_components(table, axes=Figure().subplots())


def test_one_axes_is_enough_for_one_part():
    x, y = wave(20)
    model = fitted(x[:, None], y, space="SE", max_leaves=1, max_evaluations=1)
    ax = Figure().subplots()
    axes = model.plot_components(axes=ax)
    assert axes.shape == (1,) and axes[0] is ax
    assert not ax.get_title().startswith("1."), "a single part needs no number"
    assert plots.plot_components(model).shape == (1,)


# ---- The search ----------------------------------------------------------------------------------


def test_history_shows_every_value_and_the_best_so_far():
    x, y = wave(20)
    model = fitted(x[:, None], y, max_evaluations=24, max_leaves=3)
    history = model.history_
    ax = drawn(plots.plot_history(model))
    best = line(ax, "best so far")
    assert best.get_drawstyle() == "steps-post"
    assert_allclose(best.get_xdata(), history.index + 1)
    assert_allclose(best.get_ydata(), history["best_so_far"])
    for label, chosen in (
        ("initial set", history[history["is_initial"]]),
        ("proposed", history[~history["is_initial"]]),
    ):
        assert len(chosen)
        assert_allclose(line(ax, label).get_xdata(), chosen.index + 1)
        assert_allclose(line(ax, label).get_ydata(), chosen["value_per_row"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluation", "log evidence per row")
    low, high = ax.get_ylim()
    assert low < history["value_per_row"].median() < history["value_per_row"].max() < high


def test_history_names_its_criterion():
    x, y = wave(20)
    ax = plots.plot_history(fitted(x[:, None], y, criterion="bic"))
    assert ax.get_ylabel() == "bic per row"


def test_history_marks_kernels_without_a_value(series):
    import copy

    model = copy.copy(series)
    model.history_ = series.history_.copy()
    model.history_.loc[3, ["value", "value_per_row"]] = np.nan
    ax = drawn(plots.plot_history(model))
    assert line(ax, "could not be fitted").get_xdata().tolist() == [4]
    shown = sum(len(line.get_xdata()) for line in ax.lines if line.get_label() in ("initial set", "proposed"))
    assert shown == len(model.history_) - 1


def test_a_model_from_a_file_has_no_history(series, tmp_path):
    series.save(tmp_path / "model.json")
    loaded = KernelSearchRegressor.load(tmp_path / "model.json")
    with pytest.raises(ValueError, match="a model from a file has no search to draw"):
        plots.plot_history(loaded)
    ax = plots.plot_fit(loaded, num_points=30)
    assert_allclose(line(ax, "mean").get_ydata(), series.model_.predict([line(ax, "mean").get_xdata()]).mean)
    plots.plot_components(loaded)
    plots.plot_residuals(loaded)


# ---- Residuals -----------------------------------------------------------------------------------


def points(ax):
    (found,) = [line for line in ax.lines if line.get_marker() == "."]
    return found


def test_residuals_lie_over_the_only_input(series):
    ax = drawn(plots.plot_residuals(series))
    assert_allclose(points(ax).get_xdata(), series.model_.data.inputs[0])
    assert_allclose(points(ax).get_ydata(), series._explained().residuals)
    assert ax.get_xlabel() == "time"
    assert "standard deviations" in ax.get_ylabel()
    levels = [line.get_ydata()[0] for line in ax.lines if line.get_marker() != "."]
    assert levels == [-2, 0, 2]


def test_residuals_of_several_inputs_lie_in_the_order_of_rows(table):
    ax = drawn(plots.plot_residuals(table))
    assert_allclose(points(ax).get_xdata(), np.arange(50))
    assert_allclose(points(ax).get_ydata(), table._explained().residuals)
    assert ax.get_xlabel() == "row"


def test_residual_quantiles(series):
    from scipy.stats import norm

    ax = drawn(plots.plot_residuals(series, kind="quantile"))
    assert_allclose(points(ax).get_xdata(), norm.ppf((np.arange(40) + 0.5) / 40), atol=1e-12)
    assert_allclose(points(ax).get_ydata(), np.sort(series._explained().residuals))
    assert ax.get_xlabel() == "quantile of a normal distribution"


def test_an_unknown_kind_is_said(series):
    with pytest.raises(ValueError, match=r'kind must be one of time\|quantile, not "histogram"'):
        plots.plot_residuals(series, kind="histogram")


# ---- All of them ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plot_fit", "plot_history", "plot_residuals"])
@pytest.mark.parametrize("which", ["series", "table"])
def test_given_axes_are_used_and_given_back(name, which, request):
    model = request.getfixturevalue(which)
    ax = Figure().subplots()
    assert getattr(model, name)(ax=ax) is ax
    assert getattr(plots, name)(model, ax) is ax
    assert ax.has_data()
    assert not plt.get_fignums(), "no figure of pyplot is made beside it"


@pytest.mark.parametrize("name", plots.__all__)
def test_what_is_not_fitted_is_said(name):
    with pytest.raises(NotFittedError):
        getattr(plots, name)(KernelSearchRegressor())


@pytest.mark.parametrize("name", plots.__all__)
def test_nothing_is_shown(name, series, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *_, **__: pytest.fail("a picture was shown"))
    getattr(plots, name)(series)
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("style", ["dark_background", "grayscale", "ggplot"])
def test_any_style_will_do(style, series):
    with plt.style.context(style):
        ax = drawn(plots.plot_fit(series))
        assert matplotlib.colors.same_color(line(ax, "mean").get_color(), matplotlib.colors.to_rgba("C0"))
        assert matplotlib.colors.same_color(line(ax, "data").get_color(), matplotlib.rcParams["text.color"])


def test_names_are_shown_as_they_are_and_not_as_formulas(table):
    fits = (plots.plot_fit(table), plots.plot_fit(table, column=HOSTILE_DATE))
    for ax in (*fits, *plots.plot_components(table)):
        for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
            assert not (text.get_text() and text.get_parse_math())
        for format in ("png", "svg"):
            ax.figure.savefig(io.BytesIO(), format=format, dpi=40)


def test_importing_covary_leaves_matplotlib_for_later():
    code = "import sys, covary; print([name for name in sys.modules if name.split('.')[0] == 'matplotlib'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---- In a notebook -------------------------------------------------------------------------------


class _Tags(HTMLParser):
    """The tags of a page and its text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.attributes, self.text = [], set(), {}, ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.attributes[tag] = dict(attributes)
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def picture_of(page):
    source = _Tags(page).attributes["img"]["src"]
    assert source.startswith("data:image/png;base64,")
    return plt.imread(io.BytesIO(base64.b64decode(source.split(",")[1])), format="png")


def test_display_has_the_kernel_its_value_and_the_summary(series):
    page = estimator_html(series)
    found = _Tags(page)
    assert not found.open, "every tag is closed"
    assert found.seen <= {"div", "code", "p", "img"}
    assert series.kernel_ in found.text
    assert f"log evidence {series.log_evidence_:.2f}" in found.text
    assert "40 rows, 1 input" in found.text
    assert series.explain().summary in found.text
    assert len(page) < 150_000


def test_display_escapes_names(table):
    page = estimator_html(table)
    assert HOSTILE_INPUT not in page
    found = _Tags(page)
    assert found.seen <= {"div", "code", "p", "img"}
    assert table.kernel_ in found.text
    assert table.explain().summary in found.text
    assert picture_of(page).size


def test_display_brings_its_own_background_on_any_style(series):
    usual = picture_of(estimator_html(series))
    assert (usual[..., :3][0, 0] == 1).all() and (usual[..., -1] == 1).all()
    with plt.style.context("dark_background"), matplotlib.rc_context({"savefig.transparent": True}):
        before = dict(matplotlib.rcParams)
        assert_allclose(picture_of(estimator_html(series)), usual)
        assert dict(matplotlib.rcParams) == before
    assert not plt.get_fignums()


def test_display_of_a_model_from_a_file(series, tmp_path):
    series.save(tmp_path / "model.json")
    found = _Tags(estimator_html(KernelSearchRegressor.load(tmp_path / "model.json")))
    assert series.kernel_ in found.text
    assert "log evidence" not in found.text


def test_display_leaves_out_words_that_take_long(series, monkeypatch):
    monkeypatch.setattr("covary._display._MOST_ROWS_TO_EXPLAIN", 10)
    monkeypatch.delattr(series, "_explanation", raising=False)
    assert "explain() says what it is made of" in _Tags(estimator_html(series)).text
    series.explain()
    assert series.explain().summary in _Tags(estimator_html(series)).text


def test_display_never_raises(series, monkeypatch):
    not_fitted = KernelSearchRegressor(space="<b>")
    assert _Tags(estimator_html(not_fitted)).text == "KernelSearchRegressor(space='<b>')"

    def broken(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr("covary._display.plot_fit", broken)
    assert _Tags(estimator_html(series)).text == repr(series)
    monkeypatch.setattr(KernelSearchRegressor, "__repr__", broken)
    assert _Tags(estimator_html(series)).text == "KernelSearchRegressor"


def test_examples_of_the_documentation_run():
    import doctest

    assert doctest.testmod(covary.plots).failed == 0
