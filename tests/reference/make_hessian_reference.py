"""Makes hessian_reference.json: ½ log det of minus the Hessian of log posteriors, to 15 digits.

Log posteriors are written from the paper's formulas (A.3, A.4) in arithmetic of 60 digits, and
differentiated by second differences with steps of 1e-15, which leaves 30 digits. The places are
where double precision has the hardest time: noise at its floor, covariance matrices of rank far
below their size, a period that the data know to many digits, and matrices that need more on their
diagonal to be factored at all.

Not run by the tests. To make the file again (mpmath 1.3):
    python3 -m venv venv && venv/bin/pip install mpmath
    venv/bin/python tests/reference/make_hessian_reference.py
"""

import json
import pathlib

from mpmath import mp, mpf

mp.dps = 60
ROWS = 30
NOISE_FLOOR = mpf("1e-6")


def log_gamma_density(value, shape, rate):
    return shape * mp.log(rate) - mp.loggamma(shape) + (shape - 1) * mp.log(value) - rate * value


def length(value):
    return log_gamma_density(value, 2, 2)


def variance(value):
    return log_gamma_density(value, 2, 3)


class SE:
    priors = (length, variance)

    @staticmethod
    def value(p, a, b):
        return p[1] * mp.exp(-((a - b) ** 2) / (2 * p[0] ** 2))


class RQ:
    priors = (length, variance, length)

    @staticmethod
    def value(p, a, b):
        return p[1] * (1 + (a - b) ** 2 / (2 * p[2] * p[0] ** 2)) ** (-p[2])


class PER:
    priors = (length, variance, length)

    @staticmethod
    def value(p, a, b):
        return p[1] * mp.exp(-(mp.sin(mp.pi * (a - b) / p[2]) ** 2) / (2 * p[0] ** 2))


def softplus(u):
    return mp.log1p(mp.exp(u))


def inverse_softplus(value):
    return mp.log(mp.expm1(value))


class Posterior:
    """The density of the free numbers: Jacobian included. `kernel` joins the leaves' values."""

    def __init__(self, leaves, kernel, x, y, diagonal):
        self.leaves, self.kernel, self.x, self.y, self.diagonal = leaves, kernel, x, y, diagonal

    def __call__(self, u):
        natural = [softplus(v) for v in u]
        natural[-1] += NOISE_FLOOR
        priors = [prior for leaf in self.leaves for prior in leaf.priors]
        total = sum(prior(value) for prior, value in zip(priors, natural))
        total += mp.log(100) - 100 * natural[-1]
        total += sum(-softplus(-v) for v in u)
        n = len(self.x)
        matrix = mp.matrix(n, n)
        for i in range(n):
            for j in range(i + 1):
                start, values = 0, []
                for leaf in self.leaves:
                    values.append(leaf.value(natural[start:], self.x[i], self.x[j]))
                    start += len(leaf.priors)
                matrix[i, j] = matrix[j, i] = self.kernel(values)
            matrix[i, i] += natural[-1] + self.diagonal
        factor = mp.cholesky(matrix)
        white = []
        for i in range(n):
            rest = self.y[i] - sum(factor[i, k] * white[k] for k in range(i))
            white.append(rest / factor[i, i])
        log_det = 2 * sum(mp.log(factor[i, i]) for i in range(n))
        return total - (sum(w * w for w in white) + log_det + n * mp.log(2 * mp.pi)) / 2


def half_log_determinant(f, u):
    d, step = len(u), mpf("1e-15")
    hessian = mp.matrix(d, d)

    def at(p, dp, q, dq):
        moved = list(u)
        moved[p] += dp * step
        moved[q] += dq * step
        return f(moved)

    for p in range(d):
        for q in range(p + 1):
            second = at(p, 1, q, 1) - at(p, 1, q, -1) - at(p, -1, q, 1) + at(p, -1, q, -1)
            hessian[p, q] = hessian[q, p] = -second / (4 * step**2)
    eigenvalues = mp.eigsy(hessian, eigvals_only=True)
    assert min(eigenvalues) > 0, "not a place where a Laplace approximation would be made"
    return sum(mp.log(value) for value in eigenvalues) / 2


def sine(t):
    return mp.sin(12 * t) + t


CASES = [
    # name, expression, leaves, how they are joined, natural parameters with the noise, diagonal
    ("noise at its floor", "SE", [SE], lambda v: v[0], [0.19365632, 2.3860939, 1.1371427e-06], 0),
    ("two scales", "SE + RQ", [SE, RQ], lambda v: v[0] + v[1],
     [0.19356987, 2.3774708, 0.79338004, 0.53992636, 0.83409573, 1.1374508e-06], 0),
    ("a periodic function that is none", "PER", [PER], lambda v: v[0],
     [0.23127733, 2.3883461, 2.6834687, 1.146152e-06], 0),
    ("two lengthscales for one", "SE*SE", [SE, SE], lambda v: v[0] * v[1],
     [0.20979035, 1.8443377, 0.77675136, 1.844337, 1.1354958e-06], 0),
    ("more on the diagonal", "SE*SE*SE", [SE, SE, SE], lambda v: v[0] * v[1] * v[2],
     [0.78637506, 1.3637513, 0.78637505, 1.3637524, 0.18476934, 1.3637524, 0.0001156392], 1e-3),
    ("a sharp period", "SE*PER", [SE, PER], lambda v: v[0] * v[1],
     [3.3833543, 2.0510081, 2.5589065, 2.0510004, 0.52486015, 1.1693796e-06], 0),
]


def main():
    x = [mpf(i) / (ROWS - 1) for i in range(ROWS)]
    raw = [sine(t) for t in x]
    mean = sum(raw) / ROWS
    sd = mp.sqrt(sum((y - mean) ** 2 for y in raw) / ROWS)
    # The very numbers that a program with doubles reads.
    x = [mpf(float(t)) for t in x]
    y = [mpf(float((value - mean) / sd)) for value in raw]
    cases = []
    for name, text, leaves, kernel, natural, diagonal in CASES:
        values = [mpf(value) for value in natural]
        values[-1] -= NOISE_FLOOR
        u = [mpf(float(inverse_softplus(value))) for value in values]
        half = half_log_determinant(Posterior(leaves, kernel, x, y, mpf(diagonal)), u)
        cases.append({"name": name, "kernel": text, "place": [float(v) for v in u],
                      "diagonal": float(mpf(diagonal)), "half_log_determinant": float(half)})
        print(name, mp.nstr(half, 15))
    out = {"x": [float(t) for t in x], "y": [float(v) for v in y], "cases": cases}
    path = pathlib.Path(__file__).with_name("hessian_reference.json")
    path.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
