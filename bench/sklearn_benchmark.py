#!/usr/bin/python3
"""Value and gradient of one log marginal likelihood: scikit-learn against Covary.

The same kernel, data and parameters, one thread each, and both with Debian's OpenBLAS. Ours does
more: the priors are in it. Exits 1 if the two do not agree in value (1e-6) and gradient.

usage: bench/sklearn_benchmark.py [BUILD]
"""

import json
import os
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is loaded
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
import sklearn  # noqa: E402
import threadpoolctl  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import (  # noqa: E402
    RBF,
    ConstantKernel,
    RationalQuadratic,
    WhiteKernel,
)

KERNEL = "SE_1 + RQ_1"
ROUNDS = 15


def ours(build, rows):
    program = os.path.join(build, "bin", "evidence_benchmark")
    text = subprocess.run(
        [program, "--kernel", KERNEL, "--rows", str(rows)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return json.loads(text)


def theirs(case):
    """Milliseconds, value, and derivatives by the parameters in Covary's order."""
    value = {(p["kernel"], p["name"]): p["value"] for p in case["parameters"]}
    kernel = (
        ConstantKernel(value["SE", "variance"]) * RBF(value["SE", "lengthscale"])
        + ConstantKernel(value["RQ", "variance"])
        * RationalQuadratic(value["RQ", "lengthscale"], value["RQ", "alpha"])
        + WhiteKernel(case["parameters"][-1]["value"])
    )
    x = np.array(case["inputs"][0])[:, None]
    model = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(x, case["target"])
    theta = model.kernel_.theta
    best = np.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        # Without the copy of the kernel, as scikit-learn's own fit calls it.
        likelihood, slopes = model.log_marginal_likelihood(
            theta, eval_gradient=True, clone_kernel=False
        )
        best = min(best, time.process_time() - start)
    # Theirs are by the logarithms: SE variance and lengthscale, RQ variance, alpha and lengthscale
    # (alphabetical within a kernel), noise variance.
    order = [1, 0, 4, 2, 3, 5]
    return 1e3 * best, likelihood, (slopes / np.exp(theta))[order]


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    threads = {pool["num_threads"] for pool in threadpoolctl.threadpool_info()}
    if threads != {1}:
        sys.exit(f"sklearn_benchmark.py: one thread was asked for, there are {threads}")
    print(f"{KERNEL}, scikit-learn {sklearn.__version__}, numpy {np.__version__}\n")
    print("| n | scikit-learn (ms) | Covary (ms) | ratio | difference in value |")
    print("|---:|---:|---:|---:|---:|")
    for rows in (100, 500, 1000):
        case = ours(build, rows)
        milliseconds, likelihood, slopes = theirs(case)
        difference = abs(likelihood - case["log_marginal_likelihood"])
        our_slopes = np.array([p["slope"] for p in case["parameters"]])
        print(
            f"| {rows} | {milliseconds:.2f} | {case['milliseconds']:.3f} | "
            f"{milliseconds / case['milliseconds']:.1f} | {difference:.1e} |"
        )
        if difference > 1e-6 or not np.allclose(slopes, our_slopes, rtol=1e-6, atol=1e-6):
            sys.exit(f"sklearn_benchmark.py: no agreement: {slopes} and {our_slopes}")


if __name__ == "__main__":
    main()
