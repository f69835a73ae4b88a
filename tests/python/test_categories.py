"""Categories as inputs: which columns are, levels old and new, pickles, pictures."""

import pickle

import numpy as np
import pandas as pd
import pytest

import covary
from covary import KernelSearchRegressor

quick = dict(max_evaluations=16, restarts=3, finalists=2, space="LIN,SE", target_transform="none", random_state=1)


def wages(num_rows=60):
    random = np.random.default_rng(4)
    region = random.choice(["north", "east", "south"], num_rows)
    age = random.uniform(20, 60, num_rows)
    level = pd.Series(region).map({"north": 3.0, "east": 0.0, "south": -2.0}).to_numpy()
    wage = level + 0.05 * age + 0.2 * random.normal(size=num_rows)
    return pd.DataFrame({"age": age, "region": region}), pd.Series(wage, name="wage")


@pytest.fixture(scope="module")
def model():
    return KernelSearchRegressor(**quick, quiet=True).fit(*wages())


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_text_and_categories_are_categories(dtype):
    X, y = wages()
    data = covary.make_dataset(X.astype({"region": dtype}), y)
    assert [kind for _, kind, _, _ in data.input_scalings] == ["number", "category"]
    assert data.input_levels == [[], ["east", "north", "south"]]
    assert data.fingerprint == covary.make_dataset(X, y).fingerprint


def test_bools_and_named_numbers_are_categories():
    X = pd.DataFrame({"on": [True, False, True, False, True], "shop": [7, 12, 7, 12.0, 9]})
    data = covary.make_dataset(X, [1.0, 2, 1, 3, 5], categories=["shop"])
    assert data.input_levels == [["False", "True"], ["7", "9", "12"]]


def test_text_of_many_levels_is_left_out_with_a_note():
    X, y = wages()
    X["name"] = [f"n{i}" for i in range(len(X))]
    with pytest.warns(covary.DataNote, match='"name" holds text with 60 levels in 60 rows and is ignored'):
        fitted = KernelSearchRegressor(**{**quick, "max_evaluations": 4}).fit(X, y)
    assert fitted.predict(X).shape == (60,)


def test_a_search_finds_the_groups_and_new_levels_are_less_certain(model):
    assert "(region)" in model.kernel_
    new = pd.DataFrame({"age": [30.0] * 4, "region": ["north", "south", "west", "west"]})
    mean, sd = model.predict(new, return_std=True)
    assert abs(mean[0] - 4.5) < 0.5 and abs(mean[1] + 0.5) < 0.5
    assert sd[2] > 3 * sd[0] and np.allclose((mean[2], sd[2]), (mean[3], sd[3]), rtol=1e-12)
    as_category = new.assign(region=pd.Categorical(new["region"], ["west", "south", "north"]))
    assert np.allclose(model.predict(as_category), mean, rtol=1e-12)
    with pytest.raises(ValueError, match="'age' holds numbers in the data that the model was fitted to"):
        model.predict(new.assign(age="x"))


def test_a_level_is_the_same_in_python_and_in_a_file(model, tmp_path):
    X, y = wages()
    X.assign(wage=y).to_csv(tmp_path / "wages.csv", index=False)
    data = covary.read_csv(tmp_path / "wages.csv", target="wage")
    assert data.fingerprint == model.model_.data.fingerprint
    model.save(tmp_path / "model.json")
    again = KernelSearchRegressor.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(X), model.predict(X))


def test_pickles_keep_the_levels(model):
    X, _ = wages()
    again = pickle.loads(pickle.dumps(model))
    assert again.model_.data.input_levels == [[], ["east", "north", "south"]]
    assert np.array_equal(again.predict(X), model.predict(X))


def test_arrays_have_categories_by_name():
    random = np.random.default_rng(1)
    X = np.column_stack([random.integers(3, size=40), random.uniform(size=40)])
    y = np.array([0.0, 3.0, -2.0])[X[:, 0].astype(int)] + 0.1 * random.normal(size=40)
    fitted = KernelSearchRegressor(**quick, quiet=True, categories=["x0"]).fit(X, y)
    assert "(x0)" in fitted.kernel_
    assert np.allclose(fitted.predict(np.array([[1, 0.5], [2, 0.5]])), [3.0, -2.0], atol=0.3)


def test_pictures_name_the_levels(model):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = covary.plots.plot_fit(model, column="region")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["east", "north", "south"]
    assert len(covary.plots.plot_components(model)) == len(model.explain().components)
    covary.plots.plot_residuals(model)


def test_exporters_refuse_with_a_sentence(model):
    from covary.export import to_sklearn

    with pytest.raises(ValueError, match="CAT|ALIKE"):
        to_sklearn(model.model_.members[0])
