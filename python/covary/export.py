"""A fitted model for other libraries: scikit-learn, and source text for GPyTorch and GPflow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Hyperparameter,
    Kernel,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

from . import _engine

__all__ = ["ChangePoint", "OnInput", "ScaledInputs", "to_gpflow_code", "to_gpytorch_code", "to_sklearn"]

Floats = NDArray[np.float64]
Bounds = tuple[float, float] | str


@dataclass(frozen=True)
class _Node:
    """A base kernel or an operator, with the values of its own parameters."""

    name: str
    column: int  # 0 for sums and products, which act on no input
    values: dict[str, float]
    inner: tuple[_Node, ...]


def _tree(model: _engine.FittedModel) -> _Node:
    parameters = iter(model.named_parameters)  # in preorder

    def visit(expression: _engine.Expression) -> _Node:
        inner = () if expression.is_leaf else (expression.left, expression.right)
        num_own = expression.num_parameters - sum(each.num_parameters for each in inner)
        values = {own.name: own.value for own in islice(parameters, num_own)}
        return _Node(expression.name, expression.column or 0, values, tuple(map(visit, inner)))

    return visit(model.kernel)


def _unknown(name: str) -> ValueError:
    return ValueError(f"{name} cannot be exported: covary.export has no counterpart of it yet")


# ---- scikit-learn --------------------------------------------------------------------------------


class _KernelAroundKernels(Kernel):  # type: ignore[misc]  # scikit-learn has no types
    """A kernel made of others, whose parameters are its own as well."""

    _inner_names: ClassVar[tuple[str, ...]]

    @property
    def _inner(self) -> list[Kernel]:
        return [getattr(self, name) for name in self._inner_names]

    # Coordinates besides those of the inner kernels; most have none.
    def _own_theta(self) -> list[float]:
        return []

    def _set_own_theta(self, theta: Floats) -> None:
        pass

    def _own_bounds(self) -> list[Floats]:
        return []

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        parameters: dict[str, Any] = super().get_params(deep)
        if deep:
            for name, kernel in zip(self._inner_names, self._inner, strict=True):
                for key, value in kernel.get_params(deep).items():
                    parameters[f"{name}__{key}"] = value
        return parameters

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        found: list[Hyperparameter] = super().hyperparameters
        for name, kernel in zip(self._inner_names, self._inner, strict=True):
            found += [each._replace(name=f"{name}__{each.name}") for each in kernel.hyperparameters]
        return found

    @property
    def theta(self) -> Floats:
        return np.concatenate([self._own_theta(), *(kernel.theta for kernel in self._inner)])

    @theta.setter
    def theta(self, theta: Floats) -> None:
        first = len(self._own_theta())
        self._set_own_theta(theta[:first])
        for kernel in self._inner:
            kernel.theta = theta[first : first + kernel.n_dims]
            first += kernel.n_dims

    @property
    def bounds(self) -> Floats:
        every = [*self._own_bounds(), *(kernel.bounds for kernel in self._inner)]
        return np.concatenate([np.reshape(bounds, (-1, 2)) for bounds in every])

    def is_stationary(self) -> bool:
        return all(kernel.is_stationary() for kernel in self._inner)


class _KernelOfChangedInputs(_KernelAroundKernels):
    """An inner kernel on something made of the inputs."""

    _inner_names = ("kernel",)
    kernel: Kernel

    def _changed(self, inputs: Floats) -> Floats:
        raise NotImplementedError

    def __call__(self, X: Floats, Y: Floats | None = None, eval_gradient: bool = False) -> Any:
        changed_y = None if Y is None else self._changed(np.atleast_2d(Y))
        return self.kernel(self._changed(np.atleast_2d(X)), changed_y, eval_gradient=eval_gradient)

    def diag(self, X: Floats) -> Any:
        return self.kernel.diag(self._changed(np.atleast_2d(X)))


class ScaledInputs(_KernelOfChangedInputs):
    """A kernel for scikit-learn: another one on (x - offset) / factor of every input."""

    def __init__(self, kernel: Kernel, offsets: tuple[float, ...], factors: tuple[float, ...]) -> None:
        self.kernel = kernel
        self.offsets = offsets
        self.factors = factors

    def _changed(self, inputs: Floats) -> Floats:
        scaled: Floats = (inputs - np.array(self.offsets)) / np.array(self.factors)
        return scaled

    def __repr__(self) -> str:
        return f"ScaledInputs({self.kernel!r})"


class OnInput(_KernelOfChangedInputs):
    """A kernel for scikit-learn: another one on a single input, counted from 0."""

    def __init__(self, kernel: Kernel, column: int) -> None:
        self.kernel = kernel
        self.column = column

    def _changed(self, inputs: Floats) -> Floats:
        return inputs[:, [self.column]]

    def __repr__(self) -> str:
        return f"OnInput({self.kernel!r}, column={self.column})"


class ChangePoint(_KernelAroundKernels):
    """A kernel for scikit-learn: one kernel before a place on an input, and another after it.

    (1 - s(x)) before(x, x') (1 - s(x')) + s(x) after(x, x') s(x')  with
    s(x) = 1 / (1 + exp(-(x - location) / width)) of the input `column`, counted from 0.
    """

    _inner_names = ("before", "after")

    def __init__(
        self,
        before: Kernel,
        after: Kernel,
        location: float = 0.5,
        width: float = 0.1,
        column: int = 0,
        location_bounds: Bounds = (-1.0, 2.0),
        width_bounds: Bounds = (1e-5, 1e5),
    ) -> None:
        self.before = before
        self.after = after
        self.location = location
        self.width = width
        self.column = column
        self.location_bounds = location_bounds
        self.width_bounds = width_bounds

    @property
    def hyperparameter_location(self) -> Hyperparameter:
        return Hyperparameter("location", "numeric", self.location_bounds)

    @property
    def hyperparameter_width(self) -> Hyperparameter:
        return Hyperparameter("width", "numeric", self.width_bounds)

    # scikit-learn moves the logarithms of parameters. A location may be negative: it moves itself.
    def _own_theta(self) -> list[float]:
        location = [] if self.hyperparameter_location.fixed else [self.location]
        width = [] if self.hyperparameter_width.fixed else [float(np.log(self.width))]
        return location + width

    def _set_own_theta(self, theta: Floats) -> None:
        values = iter(theta)
        if not self.hyperparameter_location.fixed:
            self.location = float(next(values))
        if not self.hyperparameter_width.fixed:
            self.width = float(np.exp(next(values)))

    def _own_bounds(self) -> list[Floats]:
        location, width = self.hyperparameter_location, self.hyperparameter_width
        of_location = [] if location.fixed else [location.bounds]
        return of_location + ([] if width.fixed else [np.log(width.bounds)])

    def _steps(self, X: Floats) -> Floats:
        steps: Floats = (X[:, self.column] - self.location) / self.width
        return steps

    def __call__(self, X: Floats, Y: Floats | None = None, eval_gradient: bool = False) -> Any:
        X = np.atleast_2d(X)
        steps = self._steps(X)
        before, after = _logistic(-steps), _logistic(steps)
        if eval_gradient:
            if Y is not None:
                raise ValueError("Gradient can only be evaluated when Y is None.")
            return self._values_and_gradient(X, steps, before, after)
        # A WhiteKernel tells X from (X, X), so the inner kernels get what this one got.
        inner = (X,) if Y is None else (X, np.atleast_2d(Y))
        steps_of_y = self._steps(inner[-1])
        both_before = np.outer(before, _logistic(-steps_of_y))
        both_after = np.outer(after, _logistic(steps_of_y))
        return both_before * self.before(*inner) + both_after * self.after(*inner)

    def _values_and_gradient(
        self, X: Floats, steps: Floats, before: Floats, after: Floats
    ) -> tuple[Floats, Floats]:
        both_before, both_after = np.outer(before, before), np.outer(after, after)
        before_values, before_gradient = self.before(X, eval_gradient=True)
        after_values, after_gradient = self.after(X, eval_gradient=True)
        # By s(x) at a fixed s(x').
        by_share: Floats = after_values * after - before_values * before

        def by_steps_times(slope: Floats) -> Floats:
            one_side = (before * after * slope)[:, np.newaxis] * by_share
            return one_side + one_side.T

        own = []
        if not self.hyperparameter_location.fixed:
            own.append(by_steps_times(np.full(len(X), -1.0 / self.width)))
        if not self.hyperparameter_width.fixed:
            own.append(by_steps_times(-steps))  # by the logarithm of the width
        gradient = [
            *(each[:, :, np.newaxis] for each in own),
            both_before[:, :, np.newaxis] * before_gradient,
            both_after[:, :, np.newaxis] * after_gradient,
        ]
        values = both_before * before_values + both_after * after_values
        return values, np.concatenate(gradient, axis=2)

    def diag(self, X: Floats) -> Any:
        X = np.atleast_2d(X)
        steps = self._steps(X)
        before, after = _logistic(-steps), _logistic(steps)
        return before**2 * self.before.diag(X) + after**2 * self.after.diag(X)

    def is_stationary(self) -> bool:
        return False

    def __repr__(self) -> str:
        place = f"location={self.location:.3g}, width={self.width:.3g}, column={self.column}"
        return f"ChangePoint({self.before!r}, {self.after!r}, {place})"


def _logistic(t: Floats) -> Floats:
    value: Floats = np.exp(-np.logaddexp(0.0, -t))  # 1 / (1 + exp(-t)) that does not overflow
    return value


def _bounds_around(value: float) -> tuple[float, float]:
    """scikit-learn's own bounds, wider where the fitted value is near or beyond them."""
    return min(1e-5, value / 10.0), max(1e5, value * 10.0)


def _bounds_of_location(location: float, column: Floats) -> tuple[float, float]:
    """The range of the input and as much again on both sides."""
    lowest, highest = float(np.min(column)), float(np.max(column))
    span = highest - lowest
    return min(lowest - span, location), max(highest + span, location)


def _constant(value: float) -> Kernel:
    return ConstantKernel(value, _bounds_around(value))


def _sklearn_shape(name: str, values: dict[str, float]) -> Kernel:
    length = values["lengthscale"]
    match name:
        case "SE":
            return RBF(length, _bounds_around(length))
        case "PER":
            # exp(-2 sin²(π d / p) / ℓ²) there, exp(-sin²(π d / p) / (2ℓ²)) here.
            length, period = 2.0 * length, values["period"]
            return ExpSineSquared(length, period, _bounds_around(length), _bounds_around(period))
        case "RQ":
            alpha = values["alpha"]
            return RationalQuadratic(length, alpha, _bounds_around(length), _bounds_around(alpha))
        case "MAT32":
            return Matern(length, _bounds_around(length), nu=1.5)
        case "MAT52":
            return Matern(length, _bounds_around(length), nu=2.5)
    raise _unknown(name)


def _sklearn_base_kernel(name: str, values: dict[str, float]) -> Kernel:
    if name == "LIN":
        slope = _constant(values["variance"]) * DotProduct(0.0, "fixed")
        return slope + _constant(values["constant_variance"])
    return _constant(values["variance"]) * _sklearn_shape(name, values)


def _sklearn_kernel(node: _Node, data: _engine.Dataset) -> Kernel:
    if not node.inner:
        kernel = _sklearn_base_kernel(node.name, node.values)
        return kernel if data.num_inputs == 1 else OnInput(kernel, node.column)
    left, right = (_sklearn_kernel(inner, data) for inner in node.inner)
    match node.name:
        case "ADD":
            return left + right
        case "MULT":
            return left * right
        case "CP":
            location, width = node.values["location"], node.values["width"]
            bounds = _bounds_of_location(location, data.scaled_inputs[node.column])
            return ChangePoint(
                left, right, location, width, node.column, bounds, _bounds_around(width)
            )
    raise _unknown(node.name)


def _kernel_with_noise(model: _engine.FittedModel) -> Kernel:
    """Of scikit-learn, on inputs in their own units."""
    scalings = model.data.input_scalings
    offsets = tuple(offset for _, _, offset, _ in scalings)
    factors = tuple(factor for _, _, _, factor in scalings)
    kernel = ScaledInputs(_sklearn_kernel(_tree(model), model.data), offsets, factors)
    if model.mean == "constant":
        kernel = kernel + ConstantKernel(1.0, "fixed")  # an unknown constant with the prior N(0, 1)
    noise = model.noise_variance
    return kernel + WhiteKernel(noise, _bounds_around(noise))


def _added_jitter(model: _engine.FittedModel) -> float:
    """What the diagonal over the training rows needed so that it could be factored."""
    if model.jitter == 0.0:
        return 0.0
    diagonal = _kernel_with_noise(model).diag(np.column_stack(model.data.inputs))
    return model.jitter * float(np.mean(diagonal))


def to_sklearn(model: _engine.FittedModel) -> GaussianProcessRegressor:
    """The model as a fitted regressor of scikit-learn, on inputs and target in their own units.

    It predicts what the model predicts; the noise is in its standard deviation. Nothing was
    optimised on the way: set an optimizer to fit the parameters anew, from these.
    """
    data = model.data
    regressor = GaussianProcessRegressor(
        _kernel_with_noise(model), alpha=_added_jitter(model), optimizer=None
    )
    regressor.fit(np.column_stack(data.inputs), data.scaled_target)
    # normalize_y would take the scaling from the training rows, but it may come from more rows, or
    # be none. So it is set after the fit, and the switch with it, for those who fit again.
    _, _, offset, factor = data.target_scaling
    regressor._y_train_mean = offset
    regressor._y_train_std = factor
    regressor.normalize_y = (offset, factor) != (0.0, 1.0)
    return regressor


# ---- Source text: what the libraries share ---------------------------------------------------------

Lines = list[str]
_WIDEST = 88  # of a call on one line, without what it is indented by


def _indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]


def _call(function: str, *arguments: Lines) -> Lines:
    """On one line if that is short, else with a line for each argument."""
    in_one = f"{function}({', '.join(' '.join(lines) for lines in arguments)})"
    if len(in_one) <= _WIDEST and all(len(lines) == 1 for lines in arguments):
        return [in_one]
    with_commas = [line for lines in arguments for line in [*lines[:-1], lines[-1] + ","]]
    return [f"{function}(", *_indented(with_commas), ")"]


def _keywords(**values: object) -> list[Lines]:
    return [[f"{name}={value!r}"] for name, value in values.items()]


class _KernelText:
    """How a library writes base kernels and change points, as lines inside of brackets."""

    def base_kernel(self, node: _Node) -> Lines:
        raise NotImplementedError

    def change_point(self, node: _Node, before: Lines, after: Lines) -> Lines:
        raise NotImplementedError

    def lines(self, node: _Node) -> Lines:
        if not node.inner:
            return self.base_kernel(node)
        left, right = (self.lines(inner) for inner in node.inner)
        match node.name:
            case "ADD":
                return [*left, f"+ {right[0]}", *right[1:]]
            case "MULT":
                left, right = (
                    ["(", *_indented(lines), ")"] if inner.name == "ADD" else lines
                    for inner, lines in zip(node.inner, (left, right), strict=True)
                )
                return [*left, f"* {right[0]}", *right[1:]]
            case "CP":
                return self.change_point(node, left, right)
        raise _unknown(node.name)


def _build_kernel(lines: Lines) -> str:
    return "\n".join(["def build_kernel():", "    return (", *_indented(_indented(lines)), "    )", ""])


def _names(node: _Node) -> set[str]:
    return {node.name}.union(*map(_names, node.inner))


_UNITS = {
    "date": ", days since 1970-01-01",
    "date_time": ", seconds since 1970-01-01T00:00:00",
}


def _head(model: _engine.FittedModel, library: str, how_to_train: Lines) -> str:
    data = model.data
    columns = enumerate(data.input_scalings)
    lines = [
        f"A Gaussian process with the kernel {model.kernel}",
        f"fitted by Covary {_engine.version}, for {library}. It explains {data.target_name} by",
        *(f"    x[:, {i}]: {name}{_UNITS.get(kind, '')}" for i, (name, kind, _, _) in columns),
        "",
        f"    model = build(x, y)             # with the {data.num_rows} rows that it was fitted to",
        "    mean, sd = predict(model, x)    # of the target at new points; the noise is in sd",
        "",
        "All arrays are in the units of the data. To train further:",
        *_indented(how_to_train),
    ]
    # Names of columns are not ours: whatever they hold, it stays in its line of the comment.
    safe = ("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)
    return "\n".join(f"# {line}".rstrip() for line in safe) + "\n\n"


def _constants(model: _engine.FittedModel) -> str:
    scalings = model.data.input_scalings
    _, _, target_offset, target_factor = model.data.target_scaling
    lines = [
        "# The kernel sees (raw - offset) / factor of the inputs, and explains that of the target.",
        f"INPUT_OFFSETS = {[offset for _, _, offset, _ in scalings]!r}",
        f"INPUT_FACTORS = {[factor for _, _, _, factor in scalings]!r}",
        f"TARGET_OFFSET = {target_offset!r}",
        f"TARGET_FACTOR = {target_factor!r}",
        f"NOISE_VARIANCE = {model.noise_variance!r}",
    ]
    if model.jitter > 0.0:
        lines += [
            "# The covariance matrix can be factored only with this on its diagonal; it is no noise.",
            f"JITTER = {_added_jitter(model)!r}",
        ]
    return "\n".join([*lines, ""])


def _with_jitter(text: str, model: _engine.FittedModel) -> str:
    """The jitter acts on the training rows like noise, but is in no prediction."""
    has_jitter = model.jitter > 0.0
    return text.replace("<PLUS_JITTER>", " + JITTER" if has_jitter else "").replace(
        "<MINUS_JITTER>", " - JITTER" if has_jitter else ""
    )


_SCALING = '''\
def scaled_inputs(x):
    x = numpy.asarray(x, dtype=float)
    x = x.reshape(len(x), len(INPUT_OFFSETS))
    return (x - numpy.array(INPUT_OFFSETS)) / numpy.array(INPUT_FACTORS)


def scaled_target(y):
    y = numpy.asarray(y, dtype=float).reshape(len(y))
    return (y - TARGET_OFFSET) / TARGET_FACTOR
'''


# ---- GPyTorch --------------------------------------------------------------------------------------

_GPYTORCH_VALUES = '''\
def with_values(module, **values):
    """The module in double precision, with these values of its parameters."""
    return module.double().initialize(
        **{name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}
    )


def times(variance, kernel):
    return with_values(gpytorch.kernels.ScaleKernel(kernel), outputscale=variance)
'''

# PeriodicKernel is exp(-2 sin²(π d / p) / ℓ), its ℓ not squared. LinearKernel has no constant, and
# GPyTorch approximates products of it.
_GPYTORCH_BASE_KERNELS = {
    "SE": '''\
def squared_exponential(column, lengthscale, variance):
    kernel = gpytorch.kernels.RBFKernel(active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale))
''',
    "LIN": '''\
def linear(column, variance, constant_variance):
    """variance * x * x' + constant_variance"""
    kernel = gpytorch.kernels.PolynomialKernel(power=1, active_dims=[column])
    return times(variance, with_values(kernel, offset=constant_variance / variance))
''',
    "PER": '''\
def periodic(column, lengthscale, variance, period):
    """variance * exp(-sin(pi * (x - x') / period)**2 / (2 * lengthscale**2))"""
    kernel = gpytorch.kernels.PeriodicKernel(active_dims=[column])
    # GPyTorch divides -2 * sin(...)**2 by its lengthscale.
    values = {"lengthscale": 4.0 * lengthscale**2, "period_length": period}
    return times(variance, with_values(kernel, **values))
''',
    "RQ": '''\
def rational_quadratic(column, lengthscale, variance, alpha):
    kernel = gpytorch.kernels.RQKernel(active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale, alpha=alpha))
''',
    "MAT32": '''\
def matern32(column, lengthscale, variance):
    kernel = gpytorch.kernels.MaternKernel(nu=1.5, active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale))
''',
    "MAT52": '''\
def matern52(column, lengthscale, variance):
    kernel = gpytorch.kernels.MaternKernel(nu=2.5, active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale))
''',
}

_GPYTORCH_CHANGE_POINT = '''\
class ChangePoint(gpytorch.kernels.Kernel):
    """One kernel before a place on an input, and another after it."""

    def __init__(self, before, after, column):
        super().__init__()
        self.before = before
        self.after = after
        self.column = column
        self.register_parameter("location", torch.nn.Parameter(torch.zeros(())))
        self.register_parameter("raw_width", torch.nn.Parameter(torch.zeros(())))
        self.register_constraint("raw_width", gpytorch.constraints.Positive())

    @property
    def width(self):
        return self.raw_width_constraint.transform(self.raw_width)

    @width.setter
    def width(self, value):
        self.initialize(raw_width=self.raw_width_constraint.inverse_transform(value))

    def forward(self, x1, x2, diag=False, **params):
        t1 = (x1[..., self.column] - self.location) / self.width
        t2 = (x2[..., self.column] - self.location) / self.width
        before = self.before(x1, x2, diag=diag, **params)
        after = self.after(x1, x2, diag=diag, **params)
        if not diag:
            t1, t2 = t1.unsqueeze(-1), t2.unsqueeze(-2)
            before, after = before.to_dense(), after.to_dense()
        both_before = torch.sigmoid(-t1) * torch.sigmoid(-t2)
        both_after = torch.sigmoid(t1) * torch.sigmoid(t2)
        return both_before * before + both_after * after


def change_point(before, after, column, location, width):
    return with_values(ChangePoint(before, after, column), location=location, width=width)
'''

_GPYTORCH_UNKNOWN_CONSTANT = '''\
class UnknownConstant(gpytorch.kernels.Kernel):
    """Added to the scaled target, with the prior N(0, 1)."""

    def forward(self, x1, x2, diag=False, **params):
        return x1.new_ones(x1.shape[:-1] if diag else (*x1.shape[:-1], x2.shape[-2]))
'''

_GPYTORCH_MODEL = '''\
class Model(gpytorch.models.ExactGP):
    def __init__(self, train_x, train_y, likelihood):
        super().__init__(train_x, train_y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = build_kernel()

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def build(train_x, train_y):
    likelihood = gpytorch.likelihoods.GaussianLikelihood(
        noise_constraint=gpytorch.constraints.Positive()
    )
    return Model(
        torch.from_numpy(scaled_inputs(train_x)),
        torch.from_numpy(scaled_target(train_y)),
        with_values(likelihood, noise=NOISE_VARIANCE<PLUS_JITTER>),
    )


def predict(model, x):
    model.eval()
    # Exact, by a Cholesky factor: GPyTorch would approximate for more than 800 rows.
    exact = gpytorch.settings.fast_computations(
        covar_root_decomposition=False, log_prob=False, solves=False
    )
    with torch.no_grad(), exact:
        predicted = model.likelihood(model(torch.from_numpy(scaled_inputs(x))))
        mean, variance = predicted.mean.numpy(), predicted.variance.numpy()
    sd = numpy.sqrt(variance<MINUS_JITTER>)
    return TARGET_OFFSET + TARGET_FACTOR * mean, TARGET_FACTOR * sd
'''


class _GPyTorchText(_KernelText):
    def base_kernel(self, node: _Node) -> Lines:
        if node.name not in _GPYTORCH_BASE_KERNELS:
            raise _unknown(node.name)
        function = _GPYTORCH_BASE_KERNELS[node.name].removeprefix("def ").partition("(")[0]
        return _call(function, [str(node.column)], *_keywords(**node.values))

    def change_point(self, node: _Node, before: Lines, after: Lines) -> Lines:
        place = _keywords(column=node.column, **node.values)
        return _call("change_point", before, after, *place)


def to_gpytorch_code(model: _engine.FittedModel) -> str:
    """Python source that builds the model with GPyTorch 1.10 or later: build() and predict()."""
    tree = _tree(model)
    kernel = _GPyTorchText().lines(tree)
    names = _names(tree)
    functions = [text for name, text in _GPYTORCH_BASE_KERNELS.items() if name in names]
    if "CP" in names:
        functions.append(_GPYTORCH_CHANGE_POINT)
    if model.mean == "constant":
        functions.append(_GPYTORCH_UNKNOWN_CONSTANT)
        kernel = [*kernel, "+ UnknownConstant()"]
    how_to_train = [
        "model.train()",
        "likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)",
        "...  # maximise likelihood(model(*model.train_inputs), model.train_targets)",
    ]
    head = _head(model, "GPyTorch 1.10 or later", how_to_train)
    parts = [
        head + "import gpytorch\nimport numpy\nimport torch\n\n" + _constants(model),
        _SCALING,
        _GPYTORCH_VALUES,
        *functions,
        _build_kernel(kernel),
        _with_jitter(_GPYTORCH_MODEL, model),
    ]
    return "\n\n".join(parts)


# ---- GPflow ----------------------------------------------------------------------------------------

_GPFLOW_CHANGE_POINT = '''\
class ChangePoint(gpflow.kernels.Kernel):
    """One kernel before a place on an input, and another after it: ChangePoints for many inputs."""

    def __init__(self, before, after, column, location, width):
        super().__init__()
        self.before = before
        self.after = after
        self.column = column
        self.location = gpflow.Parameter(location)
        self.width = gpflow.Parameter(width, transform=gpflow.utilities.positive())

    def steps(self, X):
        return (X[:, self.column] - self.location) / self.width

    def K(self, X, X2=None):
        t1 = self.steps(X)[:, None]
        t2 = self.steps(X if X2 is None else X2)[None, :]
        both_before = tf.sigmoid(-t1) * tf.sigmoid(-t2)
        both_after = tf.sigmoid(t1) * tf.sigmoid(t2)
        return both_before * self.before(X, X2) + both_after * self.after(X, X2)

    def K_diag(self, X):
        t = self.steps(X)
        before = self.before(X, full_cov=False)
        after = self.after(X, full_cov=False)
        return tf.sigmoid(-t) ** 2 * before + tf.sigmoid(t) ** 2 * after
'''

_GPFLOW_UNKNOWN_CONSTANT = '''\
def unknown_constant():
    """Added to the scaled target, with the prior N(0, 1)."""
    kernel = gpflow.kernels.Constant(1.0)
    gpflow.set_trainable(kernel, False)
    return kernel
'''

_GPFLOW_MODEL = '''\
def build(train_x, train_y):
    data = (scaled_inputs(train_x), scaled_target(train_y)[:, None])
    likelihood = gpflow.likelihoods.Gaussian(NOISE_VARIANCE<PLUS_JITTER>, variance_lower_bound=0.0)
    return gpflow.models.GPR(data, kernel=build_kernel(), likelihood=likelihood)


def predict(model, x):
    mean, variance = (each.numpy()[:, 0] for each in model.predict_y(scaled_inputs(x)))
    sd = numpy.sqrt(variance<MINUS_JITTER>)
    return TARGET_OFFSET + TARGET_FACTOR * mean, TARGET_FACTOR * sd
'''

# Periodic takes the shape of its base kernel: with this one, it is PER to the letter.
_GPFLOW_STATIONARY_KERNELS = {
    "SE": "SquaredExponential",
    "PER": "SquaredExponential",
    "RQ": "RationalQuadratic",
    "MAT32": "Matern32",
    "MAT52": "Matern52",
}


class _GPflowText(_KernelText):
    def __init__(self, num_inputs: int) -> None:
        self._num_inputs = num_inputs

    def base_kernel(self, node: _Node) -> Lines:
        values = dict(node.values)
        if node.name == "LIN":
            linear = dict(degree=1.0, variance=values["variance"], offset=values["constant_variance"])
            return _call("gpflow.kernels.Polynomial", *_keywords(**linear, active_dims=[node.column]))
        if node.name not in _GPFLOW_STATIONARY_KERNELS:
            raise _unknown(node.name)
        period = values.pop("period", None)
        stationary = dict(lengthscales=values.pop("lengthscale"), **values)
        function = f"gpflow.kernels.{_GPFLOW_STATIONARY_KERNELS[node.name]}"
        lines = _call(function, *_keywords(**stationary, active_dims=[node.column]))
        if period is None:
            return lines
        return _call("gpflow.kernels.Periodic", lines, *_keywords(period=period))

    def change_point(self, node: _Node, before: Lines, after: Lines) -> Lines:
        if self._num_inputs > 1:
            place = _keywords(column=node.column, **node.values)
            return _call("ChangePoint", before, after, *place)
        inner = [*before[:-1], before[-1] + ",", *after[:-1], after[-1] + ","]
        return _call(
            "gpflow.kernels.ChangePoints",
            ["[", *_indented(inner), "]"],
            [f"locations=[{node.values['location']!r}]"],
            [f"steepness=1.0 / {node.values['width']!r}"],
        )


def to_gpflow_code(model: _engine.FittedModel) -> str:
    """Python source that builds the model with GPflow 2: build() and predict()."""
    tree = _tree(model)
    num_inputs = model.data.num_inputs
    kernel = _GPflowText(num_inputs).lines(tree)
    imports = "import gpflow\nimport numpy\n"
    functions = []
    if "CP" in _names(tree) and num_inputs > 1:
        imports += "import tensorflow as tf\n"
        functions.append(_GPFLOW_CHANGE_POINT)
    if model.mean == "constant":
        functions.append(_GPFLOW_UNKNOWN_CONSTANT)
        kernel = [*kernel, "+ unknown_constant()"]
    train = "gpflow.optimizers.Scipy().minimize(model.training_loss, model.trainable_variables)"
    parts = [
        _head(model, "GPflow 2", [train]) + imports + "\n" + _constants(model),
        _SCALING,
        *functions,
        _build_kernel(kernel),
        _with_jitter(_GPFLOW_MODEL, model),
    ]
    return "\n\n".join(parts)
