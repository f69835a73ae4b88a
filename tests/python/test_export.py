"""Exported models: scikit-learn predicts what the engine predicts, and source text is source text."""

import ast
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

from covary import _engine, export
from covary.export.gpflow_source import GPflowText
from covary.export.gpytorch_source import GPyTorchText
from covary.export.model_tree import Node
from covary.export.sklearn_model import sklearn_kernel

TOLERANCE = 1e-6


def names_in(complaint):
    """What the registry holds, from what it says of a name that it does not know."""
    with pytest.raises(ValueError) as error:
        complaint()
    return re.search(r"known are (.*)$", str(error.value))[1].split(", ")


OPERATORS = names_in(lambda: _engine.neighbours(_engine.Expression("SE"), operators="NONE"))
# Those that scikit-learn has, on numbers; the rest is refused, which has a test of its own.
IN_SKLEARN = [
    kernel.name
    for kernel in _engine.base_kernels()
    if kernel.exports["sklearn"] and kernel.calendar_unit is None
]
OF_CALENDAR = [kernel.name for kernel in _engine.base_kernels() if kernel.calendar_unit]

ONE_INPUT = [
    *IN_SKLEARN,
    "SE + LIN*WN",
    "CP(WN, SE) + C",
    "LIN + SE*PER",
    "(SE + LIN)*(PER + RQ)",
    "LIN*(SE + (MAT32 + MAT52*(PER + LIN)))",
    "CP(SE, LIN)",
    "CP(SE*PER, CP(LIN, RQ) + MAT32)*MAT52 + LIN",
]
THREE_INPUTS = [
    *(f"{name}_2" for name in IN_SKLEARN),
    "SE_1 + LIN_2*WN",
    "SE_1*LIN_2 + PER_3",
    "CP_3(SE_1, LIN_2)",
    "(CP_2(SE_2 + RQ_1, MAT52_3*PER_2) + LIN_1)*CP_1(MAT32_3, SE_2)",
]


def columns_of(num_inputs, num_rows=40, kinds=("number", "number", "number")):
    """Inputs in very different units, and a target that depends on all of them."""
    random = np.random.default_rng(1)
    units = [(1949.0, 12.0), (-0.003, 0.001), (1.6e9, 3e8)]
    inputs = [
        (f"x{i}", kinds[i], offset + span * random.uniform(size=num_rows))
        for i, (offset, span) in enumerate(units[:num_inputs])
    ]
    target = 70.0 + sum(
        8.0 * np.sin(5.0 * (values - offset) / span)
        for (_, _, values), (offset, span) in zip(inputs, units)
    )
    return inputs, ("y", "number", target + random.normal(size=num_rows))


def dataset_of(inputs, target, settings=()):
    """Columns of numbers, which have no levels."""
    columns = [(*column, [], "") for column in inputs]
    return _engine.dataset_of_columns(columns, (*target, [], ""), list(settings), "X", [])


def dataset(num_inputs, scale=True, **options):
    inputs, target = columns_of(num_inputs, **options)
    return dataset_of(inputs, target, [("no_scale", "no" if scale else "yes")])


def model_of(kernel, data, mean="zero", seed=1, noise=0.03):
    expression = _engine.Expression(kernel, data.input_names)
    random = np.random.default_rng(seed)
    parameters = random.uniform(0.1, 1.5, expression.num_parameters)
    return _engine.FittedModel(expression, [*parameters, noise], data, mean)


def new_points(data, num_points=30):
    """Inside and outside of the training rows."""
    random = np.random.default_rng(2)
    return [
        offset + factor * random.uniform(-0.3, 1.3, num_points)
        for _, _, offset, factor in data.input_scalings
    ]


def assert_same_predictions(model, regressor, tolerance=TOLERANCE):
    for points in (new_points(model.data), model.data.inputs):
        wanted = model.predict(points)
        mean, sd = regressor.predict(np.column_stack(points), return_std=True)
        np.testing.assert_allclose(mean, wanted.mean, rtol=tolerance)
        np.testing.assert_allclose(sd, wanted.sd, rtol=tolerance)


@pytest.mark.parametrize("mean", ["zero", "constant"])
@pytest.mark.parametrize(
    ("num_inputs", "kernel"),
    [*((1, kernel) for kernel in ONE_INPUT), *((3, kernel) for kernel in THREE_INPUTS)],
)
def test_sklearn_predicts_what_the_engine_predicts(num_inputs, kernel, mean):
    model = model_of(kernel, dataset(num_inputs), mean)
    regressor = export.to_sklearn(model)
    assert_same_predictions(model, regressor)
    assert regressor.log_marginal_likelihood_value_ == pytest.approx(model.log_marginal_likelihood)
    # Each parameter that the engine fits can be fitted there, and no other.
    assert regressor.kernel_.n_dims == len(model.parameters)


@pytest.mark.parametrize("transform", ["log", "log1p", "logit"])
def test_sklearn_takes_transformed_targets_back(transform):
    inputs, (name, kind, target) = columns_of(1)
    share = (target - target.min() + 0.1) / (np.ptp(target) + 0.2)
    data = dataset_of(inputs, (name, kind, share)).with_transform(transform)
    model = model_of("SE + LIN", data)
    regressor = export.to_sklearn(model)
    assert_same_predictions(model, regressor)
    assert_same_predictions(model, pickle.loads(pickle.dumps(regressor)))
    assert_same_predictions(model, regressor.fit(np.column_stack(data.inputs), data.target), 1e-5)
    draws = regressor.sample_y(np.column_stack(data.inputs)[:3], 50)
    assert draws.shape == (3, 50)
    assert np.all(draws >= 0)


@pytest.mark.parametrize("transform", ["log", "log1p", "logit"])
@pytest.mark.parametrize("export_code", [export.to_gpytorch_code, export.to_gpflow_code])
def test_code_takes_transformed_targets_back(export_code, transform):
    inputs, (name, kind, target) = columns_of(1)
    share = (target - target.min() + 0.1) / (np.ptp(target) + 0.2)
    data = dataset_of(inputs, (name, kind, share)).with_transform(transform)
    code = export_code(model_of("SE", data))
    assert "return target_moments(TARGET_OFFSET + TARGET_FACTOR * mean, TARGET_FACTOR * sd)" in code
    # The two functions need no other library.
    head = code[code.index("INPUT_OFFSETS") : code.index("def scaled_inputs")]
    functions = code[code.index("def scaled_target") : code.index("def target_moments")]
    moments = code[code.index("def target_moments") :].partition("\n\n\n")[0]
    space = {"numpy": np}
    exec(head + functions + moments, space)
    np.testing.assert_allclose(space["scaled_target"](data.target), data.scaled_target, atol=1e-12)
    mean, sd = np.array([-2.0, 0.3, 1.0]), np.array([0.1, 0.5, 1.2])
    for ours, engine in zip(
        space["target_moments"](mean, sd), _engine.untransformed_moments(transform, mean, sd), strict=True
    ):
        np.testing.assert_allclose(ours, engine, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("num_inputs", [1, 3])
def test_sklearn_predicts_the_same_for_the_kernels_of_a_random_walk(num_inputs):
    data = dataset(num_inputs)
    walk = _engine.random_walk(
        _engine.Expression("SE_1", data.input_names), 25, 3, ",".join(IN_SKLEARN), ",".join(OPERATORS), 8
    )
    for seed, kernel in enumerate(walk):
        model = model_of(str(kernel), data, seed=seed)
        assert_same_predictions(model, export.to_sklearn(model))


@pytest.mark.parametrize("name", OF_CALENDAR)
def test_kernels_of_the_calendar_are_exported_with_their_period(name):
    days = 11000.0 + np.sort(np.random.default_rng(3).choice(2000, size=40, replace=False))
    target = np.sin(days / 58.0) + 0.001 * days
    data = dataset_of([("day", "date", days)], ("y", "number", target))
    model = model_of(f"{name}*SE + {name}", data)
    assert_same_predictions(model, export.to_sklearn(model))
    period = float({"YEAR": 365.25, "WEEK": 7.0, "DAY": 1.0}[name] / (days.max() - days.min()))
    for text in (export.to_gpytorch_code(model), export.to_gpflow_code(model)):
        assert f"period={period!r}"[:20] in text
        assert text.count("def periodic") <= 1


def test_sklearn_predicts_the_same_after_a_fit():
    data = dataset(1)
    kernel = _engine.Expression("LIN + SE*PER", data.input_names)
    options = _engine.EvidenceOptions("default", [("restarts", "2")])
    parameters = _engine.evaluate(data, kernel, options).parameters
    model = _engine.Ensemble(_engine.FittedModel(kernel, parameters, data)).members[0]
    assert_same_predictions(model, export.to_sklearn(model))


def test_dates_are_numbers_of_days_and_seconds():
    model = model_of("SE_1*PER_3 + CP_3(LIN_2, RQ_1)", dataset(3, kinds=("date", "number", "date_time")))
    assert_same_predictions(model, export.to_sklearn(model))
    for code in (export.to_gpytorch_code(model), export.to_gpflow_code(model)):
        assert "x[:, 0]: x0, days since 1970-01-01\n" in code
        assert "x[:, 2]: x2, seconds since 1970-01-01T00:00:00\n" in code


def test_some_rows_keep_the_scaling_of_all_of_them():
    data = dataset(1).rows(range(5, 20))
    assert abs(np.mean(data.scaled_target)) > 0.01
    model = model_of("LIN + SE", data)
    assert_same_predictions(model, export.to_sklearn(model))


@pytest.mark.parametrize("kernel", ["LIN + SE", "CP(LIN, SE)"])
def test_data_that_were_not_scaled_are_not_scaled(kernel):
    model = model_of(kernel, dataset(1, scale=False), noise=1.0)
    regressor = export.to_sklearn(model)
    assert not regressor.normalize_y
    assert_same_predictions(model, regressor)


def test_jitter_acts_on_the_training_rows_only():
    inputs, _ = columns_of(1)
    target = ("y", "number", 3.0 * inputs[0][2])
    data = dataset_of(inputs, target)
    model = model_of("LIN", data, noise=1e-19)  # a matrix of rank two
    assert model.jitter > 0.0
    # A nearly singular matrix: what agrees is the larger half of the digits.
    assert_same_predictions(model, export.to_sklearn(model), tolerance=1e-3)
    for code in (export.to_gpytorch_code(model), export.to_gpflow_code(model)):
        assert "NOISE_VARIANCE + JITTER" in code
        assert "variance - JITTER" in code


def test_a_regressor_survives_pickle_and_clone():
    model = model_of("CP_2(SE_1*LIN_3, PER_2) + RQ_1", dataset(3), "constant")
    regressor = export.to_sklearn(model)
    again = pickle.loads(pickle.dumps(regressor))
    assert again.kernel_ == regressor.kernel_
    assert_same_predictions(model, again)
    for kernel in (regressor.kernel, regressor.kernel_):
        copy = clone(kernel)
        assert copy is not kernel
        assert copy == kernel
        assert repr(copy) == repr(kernel)
    # The training rows' own scaling is the data's here: fitting again from raw numbers is the same.
    fresh = clone(regressor).fit(np.column_stack(model.data.inputs), model.data.target)
    assert_same_predictions(model, fresh)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_regressor_can_be_fitted_further():
    model = model_of("CP(SE, LIN)", dataset(1))
    regressor = export.to_sklearn(model)
    before = regressor.log_marginal_likelihood_value_
    regressor.set_params(optimizer="fmin_l_bfgs_b")
    regressor.fit(np.column_stack(model.data.inputs), model.data.target)
    assert regressor.log_marginal_likelihood_value_ > before + 1.0
    assert regressor.kernel_ != regressor.kernel


def own_kernels():
    smooth = ConstantKernel(0.7) * RBF(0.4)
    linear = ConstantKernel(0.3) * DotProduct(0.0, "fixed") + ConstantKernel(0.2)
    change = export.ChangePoint(
        export.OnInput(smooth, 0), export.OnInput(linear, 1), location=-0.2, width=0.3, column=1
    )
    return {
        "on_input": export.OnInput(smooth, 1),
        "scaled": export.ScaledInputs(smooth + linear, (0.1, -0.3), (2.0, 0.5)),
        "change_point": change,
        "nested": export.ScaledInputs(smooth * export.ChangePoint(change, linear), (0.1, 0.0), (1.0, 2.0)),
        "fixed_location": clone(change).set_params(location_bounds="fixed"),
        "fixed_width": clone(change).set_params(width_bounds="fixed"),
        "nothing_free": export.OnInput(RBF(0.4, "fixed"), 0),
    }


@pytest.mark.parametrize("kernel", own_kernels().values(), ids=own_kernels().keys())
class TestOwnKernelsKeepToTheInterfaceOfSklearn:
    inputs = np.random.default_rng(3).normal(size=(7, 2))
    others = np.random.default_rng(4).normal(size=(4, 2))

    def test_gradients_are_those_of_finite_differences(self, kernel):
        values, gradient = kernel(self.inputs, eval_gradient=True)
        np.testing.assert_allclose(values, kernel(self.inputs), rtol=1e-13)
        assert gradient.shape == (7, 7, kernel.n_dims)
        step = 1e-5
        for i in range(kernel.n_dims):
            shift = step * (np.arange(kernel.n_dims) == i)
            above = kernel.clone_with_theta(kernel.theta + shift)(self.inputs)
            below = kernel.clone_with_theta(kernel.theta - shift)(self.inputs)
            np.testing.assert_allclose(gradient[:, :, i], (above - below) / (2.0 * step), atol=1e-8)

    def test_diagonal_and_cross_covariance_are_parts_of_the_matrix(self, kernel):
        whole = kernel(np.vstack([self.inputs, self.others]))
        np.testing.assert_allclose(kernel.diag(self.inputs), np.diag(whole)[:7], rtol=1e-13)
        np.testing.assert_allclose(kernel(self.inputs, self.others), whole[:7, 7:], rtol=1e-13)

    def test_theta_names_and_bounds_belong_together(self, kernel):
        free = [each for each in kernel.hyperparameters if not each.fixed]
        assert len(kernel.theta) == kernel.n_dims == len(free)
        assert kernel.bounds.shape == (kernel.n_dims, 2)
        assert np.all(kernel.bounds[:, 0] <= kernel.theta)
        assert np.all(kernel.theta <= kernel.bounds[:, 1])
        for i, each in enumerate(free):
            is_location = each.name.endswith("location")
            value = kernel.get_params()[each.name]
            assert kernel.theta[i] == pytest.approx(value if is_location else np.log(value))
            changed = clone(kernel).set_params(**{each.name: value * 1.1})
            assert list(np.flatnonzero(changed.theta != kernel.theta)) == [i]

    def test_copies_are_equal_and_independent(self, kernel):
        for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel))):
            assert copy == kernel
            copy.theta = copy.theta + 0.1
            assert (copy == kernel) == (kernel.n_dims == 0)

    def test_it_acts_on_vectors(self, kernel):
        assert kernel.requires_vector_input


def test_own_kernels_are_stationary_where_their_parts_are():
    kernels = own_kernels()
    assert kernels["on_input"].is_stationary()
    assert not kernels["scaled"].is_stationary()
    assert not kernels["change_point"].is_stationary()


def test_noise_inside_of_a_change_point_is_on_the_diagonal_only():
    kernel = export.ChangePoint(WhiteKernel(1.0), RBF(1.0), location=0.0)
    inputs = np.array([[-1.0], [0.0], [1.0]])
    np.testing.assert_allclose(np.diag(kernel(inputs)), kernel.diag(inputs))
    np.testing.assert_allclose(kernel(inputs, inputs)[0, 0], 0.0, atol=1e-8)


def test_a_far_change_point_neither_overflows_nor_warns(recwarn):
    kernel = export.ChangePoint(RBF(1.0), RBF(2.0), location=0.0, width=1e-5)
    values, gradient = kernel(np.array([[-1e3], [1e3]]), eval_gradient=True)
    assert np.all(np.isfinite(values)) and np.all(np.isfinite(gradient))
    assert len(recwarn) == 0


@pytest.mark.parametrize("export_code", [export.to_gpytorch_code, export.to_gpflow_code])
class TestSourceText:
    @pytest.mark.parametrize("mean", ["zero", "constant"])
    @pytest.mark.parametrize(
        ("num_inputs", "kernel"),
        [*((1, kernel) for kernel in ONE_INPUT), *((3, kernel) for kernel in THREE_INPUTS)],
    )
    def test_it_compiles_and_holds_every_value(self, export_code, num_inputs, kernel, mean):
        model = model_of(kernel, dataset(num_inputs), mean)
        if "WN" in kernel and export_code is export.to_gpytorch_code:
            with pytest.raises(ValueError, match="WN cannot be exported to GPyTorch"):
                export_code(model)
            return
        code = export_code(model)
        compile(code, "exported.py", "exec")
        assert code.startswith(f"# A Gaussian process with the kernel {model.kernel}\n")
        for value in model.parameters:
            assert re.search(rf"(= ?|/ |\[){re.escape(repr(value))}\b", code), value
        for _, _, offset, factor in [*model.data.input_scalings, model.data.target_scaling]:
            assert repr(offset) in code and repr(factor) in code
        assert ("nknown" in code) == (mean == "constant")

    def test_it_holds_only_what_the_kernel_needs(self, export_code):
        code = export_code(model_of("SE", dataset(1)))
        for other in ("Periodic", "Matern", "RationalQuadratic", "RQ", "Polynomial", "ChangePoint",
                      "nknown", "JITTER", "tensorflow"):
            assert other not in code

    def code_with_names(self, export_code, input_name, target_name):
        inputs, target = columns_of(1)
        renamed = [(input_name, *inputs[0][1:])], (target_name, *target[1:])
        return export_code(model_of("SE", dataset_of(*renamed)))

    def test_names_of_columns_never_become_code(self, export_code):
        nasty = 'a\nimport nothing_at_all\r\x0b\x85\u2028"""\\'
        code = self.code_with_names(export_code, nasty, nasty + "y")
        plain = self.code_with_names(export_code, "a", "y")
        assert len(code.splitlines()) == len(plain.splitlines())
        assert "\nimport nothing_at_all" not in code
        compile(code, "exported.py", "exec")

    def test_letters_of_any_language_stay_readable(self, export_code):
        code = self.code_with_names(export_code, "Höhe", "größe")
        assert "Höhe" in code and "größe" in code

    def test_products_of_sums_keep_their_brackets(self, export_code):
        code = export_code(model_of("(SE + LIN)*(MAT32 + MAT52)", dataset(1)))
        body = code.partition("def build_kernel():")[2].partition("\n\n\n")[0]
        assert re.sub(r"[^()+*]|\([^()]*\)", "", body.replace("return (", "")) == "(+)*(+))"


@pytest.mark.parametrize("kernel", _engine.base_kernels(), ids=lambda kernel: kernel.name)
def test_a_base_kernel_brings_its_counterparts_along(kernel):
    """Or has none; what it has speaks of its own parameters."""
    assert kernel.title and kernel.formula and kernel.noun
    values = [*kernel.parameters, *(["period"] if kernel.calendar_unit else [])]
    if text := kernel.exports["gpytorch"]:
        function = ast.parse(text).body[0]
        assert [argument.arg for argument in function.args.args] == ["column", *values]
        assert text.endswith("\n")
    for library in ("sklearn", "gpflow"):
        if text := kernel.exports[library]:
            tree = ast.parse(text, mode="eval")
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert set(values) <= used, library
            assert ("column" in used) == (library == "gpflow")


@pytest.mark.parametrize("name", ["NEW", "OVER"])
def test_a_kernel_without_counterpart_is_named(name):
    leaf = Node("SE", 0, {"lengthscale": 1.0, "variance": 1.0}, ())
    node = Node(name, 0, {"lengthscale": 1.0, "variance": 1.0}, (leaf, leaf) if name == "OVER" else ())
    data = dataset(1)
    for library, attempt in (
        ("scikit-learn", lambda: sklearn_kernel(node, data)),
        ("GPyTorch", lambda: GPyTorchText().lines(node)),
        ("GPflow", lambda: GPflowText(1).lines(node)),
    ):
        with pytest.raises(ValueError, match=f"^{name} cannot be exported to {library}, "):
            attempt()
