"""Makes gp_reference.json: exact GP numbers by code that shares nothing with Covary.

Kernels and priors are written from the paper's formulas (A.4); likelihoods, predictions and
leave-one-out densities by dense NumPy (solve and slogdet, no Cholesky factors, no short cuts).
Where scikit-learn has the kernel too, its GaussianProcessRegressor must agree to 1e-9.

Not run by the tests. To make the file again (numpy 2.4, scipy 1.17, scikit-learn 1.9):
    python3 -m venv venv && venv/bin/pip install numpy scipy scikit-learn
    venv/bin/python tests/reference/make_reference.py
"""

import json
import math
import pathlib

import numpy as np
from scipy import stats
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

LENGTH = stats.gamma(a=2.0, scale=1.0 / 2.0)  # Gamma(shape 2, rate 2): lengthscale, period, alpha
VARIANCE = stats.gamma(a=2.0, scale=1.0 / 3.0)
LOCATION = stats.norm(loc=0.5, scale=0.25)
WIDTH = stats.gamma(a=2.0, scale=1.0 / 20.0)
WHITE_VARIANCE = stats.expon(scale=1.0 / 10.0)
NOISE_VARIANCE = stats.expon(scale=1.0 / 100.0)


class Leaf:
    """A base kernel on one input. `parameters` in the order of Covary's ParameterSpace."""

    name = ""
    priors = ()

    def __init__(self, *parameters, on=0):
        assert len(parameters) == len(self.priors)
        self.parameters = list(parameters)
        self.column = on

    def text(self, num_inputs):
        return self.name if num_inputs == 1 else f"{self.name}_{self.column + 1}"

    def gram(self, a, b):
        return self.formula(a[:, [self.column]], b[:, [self.column]].T)

    def all_priors(self):
        return list(self.priors)

    def lengths(self, length, num_inputs):
        """Lengthscales for scikit-learn: infinite on the inputs that do not count."""
        return [length if i == self.column else np.inf for i in range(num_inputs)]


class SE(Leaf):
    name = "SE"
    priors = (LENGTH, VARIANCE)

    def formula(self, x, y):
        length, variance = self.parameters
        return variance * np.exp(-0.5 * (x - y) ** 2 / length**2)

    def as_sklearn(self, num_inputs):
        length, variance = self.parameters
        return kernels.ConstantKernel(variance) * kernels.RBF(self.lengths(length, num_inputs))


class Matern(Leaf):
    priors = (LENGTH, VARIANCE)

    def as_sklearn(self, num_inputs):
        length, variance = self.parameters
        return kernels.ConstantKernel(variance) * kernels.Matern(
            self.lengths(length, num_inputs), nu=self.smoothness
        )


class MAT12(Matern):
    name = "MAT12"
    smoothness = 0.5

    def formula(self, x, y):
        length, variance = self.parameters
        return variance * np.exp(-np.abs(x - y) / length)


class MAT32(Matern):
    name = "MAT32"
    smoothness = 1.5

    def formula(self, x, y):
        length, variance = self.parameters
        r = np.abs(x - y) / length
        return variance * (1.0 + math.sqrt(3.0) * r) * np.exp(-math.sqrt(3.0) * r)


class MAT52(Matern):
    name = "MAT52"
    smoothness = 2.5

    def formula(self, x, y):
        length, variance = self.parameters
        r = np.abs(x - y) / length
        return (
            variance
            * (1.0 + math.sqrt(5.0) * r + 5.0 * r**2 / 3.0)
            * np.exp(-math.sqrt(5.0) * r)
        )


class RQ(Leaf):
    name = "RQ"
    priors = (LENGTH, VARIANCE, LENGTH)

    def formula(self, x, y):
        length, variance, alpha = self.parameters
        return variance * (1.0 + (x - y) ** 2 / (2.0 * alpha * length**2)) ** (-alpha)

    def as_sklearn(self, num_inputs):
        if num_inputs > 1:
            return None
        length, variance, alpha = self.parameters
        return kernels.ConstantKernel(variance) * kernels.RationalQuadratic(length, alpha)


class PER(Leaf):
    name = "PER"
    priors = (LENGTH, VARIANCE, LENGTH)

    def formula(self, x, y):
        length, variance, period = self.parameters
        return variance * np.exp(-0.5 * np.sin(np.pi * np.abs(x - y) / period) ** 2 / length**2)

    def as_sklearn(self, num_inputs):
        if num_inputs > 1:
            return None
        length, variance, period = self.parameters
        # Theirs is exp(-2 sin^2 / length^2), so their length is twice ours.
        return kernels.ConstantKernel(variance) * kernels.ExpSineSquared(2.0 * length, period)


class CAT(Leaf):
    name = "CAT"
    priors = (VARIANCE,)

    def formula(self, x, y):
        return self.parameters[0] * (x == y)

    def as_sklearn(self, num_inputs):
        return None


class ALIKE(Leaf):
    name = "ALIKE"
    priors = (VARIANCE, VARIANCE)

    def formula(self, x, y):
        variance, constant_variance = self.parameters
        return variance * (x == y) + constant_variance

    def as_sklearn(self, num_inputs):
        return None


class LIN(Leaf):
    name = "LIN"
    priors = (VARIANCE, VARIANCE)

    def formula(self, x, y):
        variance, constant_variance = self.parameters
        return variance * x * y + constant_variance

    def as_sklearn(self, num_inputs):
        if num_inputs > 1:
            return None
        variance, constant_variance = self.parameters
        return kernels.ConstantKernel(variance) * kernels.DotProduct(
            math.sqrt(constant_variance / variance)
        )


class RW(Leaf):
    name = "RW"
    priors = (VARIANCE, VARIANCE)

    def formula(self, x, y):
        variance, constant_variance = self.parameters
        way = np.where(x * y > 0.0, np.minimum(np.abs(x), np.abs(y)), 0.0)
        return variance * way + constant_variance

    def as_sklearn(self, num_inputs):
        return None


class C(Leaf):
    name = "C"
    priors = (VARIANCE,)

    def gram(self, a, b):
        return np.full((len(a), len(b)), self.parameters[0])

    def as_sklearn(self, num_inputs):
        return kernels.ConstantKernel(self.parameters[0])


class WN(Leaf):
    name = "WN"
    priors = (WHITE_VARIANCE,)

    def gram(self, a, b):
        """Of the same rows if a and b are the same array, not if they are equal."""
        return self.parameters[0] * (np.eye(len(a)) if a is b else np.zeros((len(a), len(b))))

    def as_sklearn(self, num_inputs):
        return None


class Join:
    priors = ()

    def __init__(self, left, right):
        self.left, self.right = left, right
        self.parameters = left.parameters + right.parameters

    def all_priors(self):
        return list(self.priors) + self.left.all_priors() + self.right.all_priors()

    def operand(self, child, num_inputs):
        text = child.text(num_inputs)
        return f"({text})" if isinstance(child, (Sum, Product)) else text

    def text(self, num_inputs):
        left, right = (self.operand(child, num_inputs) for child in (self.left, self.right))
        return f"{left} {self.symbol} {right}"

    def as_sklearn(self, num_inputs):
        left, right = (child.as_sklearn(num_inputs) for child in (self.left, self.right))
        return None if left is None or right is None else self.combine(left, right)

    def gram(self, a, b):
        return self.combine(self.left.gram(a, b), self.right.gram(a, b))


class Sum(Join):
    symbol = "+"

    def combine(self, left, right):
        return left + right


class Product(Join):
    symbol = "*"

    def combine(self, left, right):
        return left * right


class CP(Join):
    """(1 - s(x)) A(x, x') (1 - s(x')) + s(x) B(x, x') s(x'), s(x) = 1 / (1 + exp(-(x - x0) / w))"""

    priors = (LOCATION, WIDTH)

    def __init__(self, location, width, left, right, on=0):
        super().__init__(left, right)
        self.location, self.width, self.column = location, width, on
        self.parameters = [location, width] + self.parameters

    def text(self, num_inputs):
        name = "CP" if num_inputs == 1 else f"CP_{self.column + 1}"
        return f"{name}({self.left.text(num_inputs)}, {self.right.text(num_inputs)})"

    def after(self, x):
        return 1.0 / (1.0 + np.exp(-(x[:, self.column] - self.location) / self.width))

    def gram(self, a, b):
        s, t = self.after(a)[:, None], self.after(b)[None, :]
        return (1 - s) * self.left.gram(a, b) * (1 - t) + s * self.right.gram(a, b) * t

    def as_sklearn(self, num_inputs):
        return None


def log_normal_density(y, covariance):
    sign, log_determinant = np.linalg.slogdet(covariance)
    assert sign > 0
    return -0.5 * (
        y @ np.linalg.solve(covariance, y) + log_determinant + len(y) * math.log(2.0 * math.pi)
    )


def predict(kernel, noise_variance, x, y, new):
    covariance = kernel.gram(x, x) + noise_variance * np.eye(len(y))
    cross = kernel.gram(x, new)
    mean = cross.T @ np.linalg.solve(covariance, y)
    others = kernel.gram(new, new.copy())  # other rows at these places, which share no noise
    variance = np.diag(others - cross.T @ np.linalg.solve(covariance, cross))
    noise = np.diag(kernel.gram(new, new) - others) + noise_variance
    return mean, variance, noise


def leave_one_out(kernel, noise_variance, x, y):
    densities = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        mean, variance, noise = predict(kernel, noise_variance, x[others], y[others], x[[i]])
        densities.append(stats.norm(mean[0], math.sqrt(variance[0] + noise[0])).logpdf(y[i]))
    return np.array(densities)


def assert_sklearn_agrees(sklearn_kernel, noise_variance, x, y, new, likelihood, mean, variance):
    model = GaussianProcessRegressor(sklearn_kernel, alpha=noise_variance, optimizer=None).fit(x, y)
    their_mean, their_covariance = model.predict(new, return_cov=True)
    pairs = [
        (model.log_marginal_likelihood_value_, likelihood),
        (their_mean, mean),
        (np.diag(their_covariance), variance),
    ]
    for theirs, ours in pairs:
        assert np.all(np.abs(theirs - ours) <= 1e-9 * np.maximum(1.0, np.abs(ours))), (theirs, ours)


def make_case(seed, kernel, noise_variance, num_rows, num_inputs=1, levels=None):
    """`levels`: a category, as the column and how many levels it has; one of the new points has another."""
    random = np.random.default_rng(seed)
    x = random.uniform(size=(num_rows, num_inputs))
    x[0], x[1] = 0.0, 1.0  # as after scaling
    if num_rows >= 12:
        x[-1], x[-2] = x[3], x[3]  # the same place three times
    weights = 1.0 + np.arange(num_inputs)
    y = np.sin(5.0 * x @ weights) + x[:, 0] + 0.3 * random.normal(size=num_rows)
    y = (y - y.mean()) / y.std()
    new = random.uniform(size=(5, num_inputs))
    new[3] += 1.0
    new[4] = -0.4 - 0.3 * new[4]
    if levels is not None:
        column, count = levels
        x[:, column] = random.integers(count, size=num_rows)
        new[:, column] = np.arange(5) % (count + 1)

    likelihood = log_normal_density(y, kernel.gram(x, x) + noise_variance * np.eye(num_rows))
    mean, variance, noise = predict(kernel, noise_variance, x, y, new)
    sklearn_kernel = kernel.as_sklearn(num_inputs)
    if sklearn_kernel is not None:
        assert_sklearn_agrees(
            sklearn_kernel, noise_variance, x, y, new, likelihood, mean, variance
        )
    parameters = kernel.parameters + [noise_variance]
    priors = kernel.all_priors() + [NOISE_VARIANCE]
    assert len(parameters) == len(priors)
    return {
        "kernel": kernel.text(num_inputs),
        "num_inputs": num_inputs,
        "checked_by_sklearn": sklearn_kernel is not None,
        "inputs": x.T.tolist(),
        "target": y.tolist(),
        "parameters": parameters,
        "new_inputs": new.T.tolist(),
        "log_marginal_likelihood": float(likelihood),
        "mean": mean.tolist(),
        "latent_variance": variance.tolist(),
        "variance": (variance + noise).tolist(),
        "leave_one_out_log_density": leave_one_out(kernel, noise_variance, x, y).tolist(),
        "log_prior": float(sum(prior.logpdf(p) for prior, p in zip(priors, parameters))),
    }


def all_cases():
    yield make_case(1, SE(0.2, 0.9), 0.05, 20)
    yield make_case(2, SE(0.8, 2.5), 0.001, 40)
    yield make_case(3, LIN(0.7, 0.3), 0.4, 25)
    yield make_case(4, PER(0.6, 1.2, 0.31), 0.08, 30)
    yield make_case(5, PER(0.15, 0.5, 0.05), 0.02, 40)
    yield make_case(6, RQ(0.25, 1.1, 0.7), 0.06, 20)
    yield make_case(7, RQ(0.05, 0.4, 3.5), 0.01, 15)
    yield make_case(8, MAT32(0.3, 1.4), 0.03, 24)
    yield make_case(9, MAT52(0.45, 0.8), 0.07, 24)
    yield make_case(10, SE(0.01, 1.0), 0.002, 8)
    yield make_case(11, Sum(LIN(0.4, 0.2), SE(0.1, 0.6)), 0.05, 20)
    yield make_case(12, Product(SE(0.5, 1.3), PER(0.7, 0.9, 0.25)), 0.04, 30)
    yield make_case(13, Sum(LIN(1.1, 0.1), Product(SE(0.9, 0.8), PER(0.4, 1.5, 0.4))), 0.03, 40)
    yield make_case(14, Product(Sum(RQ(0.3, 0.5, 1.0), LIN(0.6, 0.6)), MAT52(0.7, 1.2)), 0.1, 16)
    yield make_case(15, Product(LIN(0.9, 0.05), Product(LIN(0.5, 0.5), LIN(1.5, 0.2))), 0.2, 20)
    yield make_case(16, Sum(MAT32(0.06, 0.2), Sum(SE(0.4, 0.7), RQ(2.0, 0.3, 0.2))), 0.02, 33)
    yield make_case(17, Product(SE(0.4, 1.0, on=0), SE(0.9, 0.8, on=1)), 0.05, 30, 2)
    yield make_case(18, Sum(SE(0.3, 0.5, on=2), MAT32(0.6, 0.9, on=0)), 0.06, 25, 3)
    yield make_case(
        19,
        Sum(LIN(0.8, 0.3, on=1), Product(PER(0.5, 0.7, 0.6, on=0), RQ(0.4, 1.1, 1.5, on=1))),
        0.04,
        40,
        2,
    )
    yield make_case(
        20,
        Product(Sum(SE(0.2, 0.6, on=3), LIN(0.3, 0.9, on=0)), MAT52(0.8, 1.0, on=2)),
        0.08,
        35,
        4,
    )
    yield make_case(21, CP(0.45, 0.06, SE(0.2, 0.8), LIN(0.9, 0.4)), 0.05, 30)
    yield make_case(22, CP(0.7, 0.005, PER(0.5, 1.0, 0.2), SE(0.6, 0.3)), 0.03, 24)
    yield make_case(
        23, Sum(LIN(0.5, 0.1), CP(-0.1, 0.2, MAT32(0.3, 0.7), RQ(0.2, 0.5, 0.9))), 0.04, 20
    )
    yield make_case(
        24,
        CP(0.3, 0.04, SE(0.1, 0.6), CP(0.8, 0.1, LIN(0.4, 0.5), Product(SE(0.5, 1), MAT52(0.2, 1)))),
        0.02,
        40,
    )
    yield make_case(
        25,
        Product(
            CP(0.5, 0.08, SE(0.3, 0.9, on=0), PER(0.8, 1.1, 0.35, on=2), on=1),
            Sum(LIN(0.7, 0.7, on=2), CP(0.6, 0.15, RQ(0.4, 0.6, 2.0, on=1), SE(1.2, 0.8, on=1))),
        ),
        0.06,
        36,
        3,
    )
    yield make_case(26, MAT12(0.4, 1.2), 0.04, 24)
    yield make_case(27, Sum(RW(1.3, 0.4), Product(PER(0.7, 0.6, 0.25), MAT12(0.8, 0.9))), 0.03, 30)
    yield make_case(28, Sum(C(0.6), SE(0.3, 0.9)), 0.05, 20)
    yield make_case(29, Sum(SE(0.3, 0.9), Product(LIN(0.8, 0.1), WN(0.2))), 0.02, 30)
    yield make_case(
        30, CP(0.5, 0.1, Sum(WN(0.15), C(0.3)), Product(RW(0.9, 0.2, on=1), C(0.7)), on=1), 0.05, 24, 2
    )
    yield make_case(26, CAT(0.8), 0.1, 20, levels=(0, 4))
    yield make_case(
        27, Sum(Product(SE(0.3, 0.9), ALIKE(0.7, 0.4, on=1)), CAT(0.5, on=1)), 0.05, 30, 2, (1, 3)
    )


def main():
    # A line per field keeps differences readable.
    cases = [
        "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in case.items()) + "\n}"
        for case in all_cases()
    ]
    path = pathlib.Path(__file__).with_name("gp_reference.json")
    path.write_text("[\n" + ",\n".join(cases) + "\n]\n")
    num_checked = sum('"checked_by_sklearn": true' in case for case in cases)
    print(f"{len(cases)} cases, {num_checked} of them also by scikit-learn")


if __name__ == "__main__":
    main()
