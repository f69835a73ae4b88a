"""A model as scikit-learn's own regressor, and the few kernels that it lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.gaussian_process.kernels import ConstantKernel, Hyperparameter, Kernel, WhiteKernel

from .. import _engine
from .model_tree import Node, counterparts, tree_of, unknown

Floats = NDArray[np.float64]
Bounds = tuple[float, float] | str


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


def _sklearn_base_kernel(name: str, values: dict[str, float]) -> Kernel:
    text = counterparts("sklearn").get(name)
    if text is None:
        raise unknown(name, "scikit-learn")
    # The text is a part of the engine, nobody's input.
    names = {**vars(kernels), "constant": _constant, "around": _bounds_around}
    return eval(text, names, values)


def sklearn_kernel(node: Node, data: _engine.Dataset) -> Kernel:
    if not node.inner:
        kernel = _sklearn_base_kernel(node.name, node.values)
        return kernel if data.num_inputs == 1 else OnInput(kernel, node.column)
    left, right = (sklearn_kernel(inner, data) for inner in node.inner)
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
    raise unknown(node.name, "scikit-learn")


def _kernel_with_noise(model: _engine.FittedModel) -> Kernel:
    """Of scikit-learn, on inputs in their own units."""
    scalings = model.data.input_scalings
    offsets = tuple(offset for _, _, offset, _ in scalings)
    factors = tuple(factor for _, _, _, factor in scalings)
    kernel = ScaledInputs(sklearn_kernel(tree_of(model), model.data), offsets, factors)
    if model.mean == "constant":
        kernel = kernel + ConstantKernel(1.0, "fixed")  # an unknown constant with the prior N(0, 1)
    noise = model.noise_variance
    return kernel + WhiteKernel(noise, _bounds_around(noise))


def added_jitter(model: _engine.FittedModel) -> float:
    """What the diagonal over the training rows needed so that it could be factored."""
    if model.jitter == 0.0:
        return 0.0
    diagonal = _kernel_with_noise(model).diag(np.column_stack(model.data.inputs))
    return model.jitter * float(np.mean(diagonal))


class TransformedTarget(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian process of scikit-learn for a transformed target, with predictions of the target.

    The regressor sees the transformed target (log, log1p or logit); mean and standard deviation are
    those of the target itself.
    """

    def __init__(self, regressor: GaussianProcessRegressor, target_transform: str) -> None:
        self.regressor = regressor
        self.target_transform = target_transform

    def fit(self, X: Any, y: Any) -> TransformedTarget:
        self.regressor.fit(X, _engine.transformed(self.target_transform, np.asarray(y, dtype=np.float64)))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self.regressor, "X_train_")

    def predict(self, X: Any, return_std: bool = False) -> Any:
        mean, sd = self.regressor.predict(X, return_std=True)
        mean, sd = _engine.untransformed_moments(self.target_transform, mean, sd)
        return (mean, sd) if return_std else mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        draws = self.regressor.sample_y(X, n_samples, random_state)
        taken_back: Floats = _engine.untransformed(self.target_transform, draws.ravel()).reshape(draws.shape)
        return taken_back


def to_sklearn(model: _engine.FittedModel) -> GaussianProcessRegressor | TransformedTarget:
    """The model as a fitted regressor of scikit-learn, on inputs and target in their own units.

    It predicts what the model predicts; the noise is in its standard deviation. Nothing was
    optimised on the way: set an optimizer to fit the parameters anew, from these. That of a model
    with a transformed target stands inside of a ``TransformedTarget``.
    """
    data = model.data
    regressor = GaussianProcessRegressor(
        _kernel_with_noise(model), alpha=added_jitter(model), optimizer=None
    )
    regressor.fit(np.column_stack(data.inputs), data.scaled_target)
    # normalize_y would take the scaling from the training rows, but it may come from more rows, or
    # be none. So it is set after the fit, and the switch with it, for those who fit again.
    _, _, offset, factor = data.target_scaling
    regressor._y_train_mean = offset
    regressor._y_train_std = factor
    regressor.normalize_y = (offset, factor) != (0.0, 1.0)
    if data.target_transform != "none":
        return TransformedTarget(regressor, data.target_transform)
    return regressor
