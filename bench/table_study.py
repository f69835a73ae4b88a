#!/usr/bin/env python3
"""What a setting does to predictions of tables: two or more settings of `covary search` on the same rows.

    bench/table_study.py build/bin/covary TABLE.csv ... [--baselines] --settings "--priors paper" ""

A table's last column is its target (a column `fold` aside). With a column `fold`, each fold is predicted from the
others; else --splits times --rows rows drawn at random are learnt from and up to 1,000 others predicted. Scores are
on the scale of the training rows' standard deviation: mean absolute error, RMSE, CRPS, log score, coverage of the
95 % intervals; then base kernels and CPU seconds. With --baselines (needs scikit-learn), also those of an ARD
Gaussian process with noise and the errors of gradient boosting, on the same rows.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import pathlib
import random

from study import Scores, searched, summary

MOST_TEST_ROWS = 1000

Rows = list[dict[str, str]]


def splits_of(table: pathlib.Path, first: int, count: int, size: int, seed: int) -> list[tuple[Rows, Rows]]:
    rows = list(csv.DictReader(table.open()))
    if "fold" in rows[0]:
        folds = sorted({row["fold"] for row in rows}, key=int)[first - 1 : first - 1 + count]
        return [
            ([row for row in rows if row["fold"] != fold], [row for row in rows if row["fold"] == fold])
            for fold in folds
        ]
    splits = []
    for split in range(first - 1, first - 1 + count):
        order = rows.copy()
        random.Random(f"{seed} {split}").shuffle(order)
        splits.append((order[:size], order[size : size + MOST_TEST_ROWS]))
    return splits


def baselines(train: Rows, test: Rows, target: str, inputs: list[str]) -> list[Scores]:
    import numpy as np
    from scipy.stats import norm
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    def numbers(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[float(row[name]) for name in inputs] for row in rows]), np.array(
            [float(row[target]) for row in rows]
        )

    (x, y), (x_test, y_test) = numbers(train), numbers(test)
    center, width, unit = x.mean(0), np.where(x.std(0) > 0, x.std(0), 1.0), y.std(ddof=1)
    x, x_test = (x - center) / width, (x_test - center) / width
    y, y_test = (y - y.mean()) / unit, (y_test - y.mean()) / unit
    kernel = ConstantKernel(1.0) * RBF(np.ones(len(inputs))) + WhiteKernel(0.1)
    process = GaussianProcessRegressor(kernel, n_restarts_optimizer=3, random_state=1).fit(x, y)
    mean, sd = process.predict(x_test, return_std=True)
    z = (y_test - mean) / sd
    crps = sd * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    boosted = GradientBoostingRegressor(random_state=1).fit(x, y).predict(x_test) - y_test
    return [
        {
            "mae": float(np.abs(mean - y_test).mean()),
            "rmse": float(np.sqrt(((mean - y_test) ** 2).mean())),
            "crps": float(crps.mean()),
            "log_score": float(norm.logpdf(z).mean() - np.log(sd).mean()),
            "coverage": float((np.abs(z) <= 1.959963984540054).mean()),
        },
        {"mae": float(np.abs(boosted).mean()), "rmse": float(np.sqrt((boosted**2).mean()))},
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("tables", nargs="+", type=pathlib.Path)
    parser.add_argument("--splits", type=int, default=10, help="so many, or so many of the folds")
    parser.add_argument("--first", type=int, default=1, help="the split or fold to begin with")
    parser.add_argument("--rows", type=int, default=500, help="to learn from, where there are no folds")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=1, help="splits under way at once")
    parser.add_argument("--baselines", action="store_true")
    parser.add_argument("--settings", nargs="+", default=[""], help="options of the search; the last argument")
    arguments = parser.parse_args()
    names = [setting or "defaults" for setting in arguments.settings]
    if arguments.baselines:
        names += ["ARD Gaussian process", "gradient boosting"]
    for table in arguments.tables:
        with table.open() as file:
            columns = [name for name in next(csv.reader(file)) if name != "fold"]
        target, inputs = columns[-1], columns[:-1]

        def each(split: tuple[Rows, Rows]) -> list[Scores]:
            found = [searched(arguments.program, *split, target, inputs, one) for one in arguments.settings]
            return found + (baselines(*split, target, inputs) if arguments.baselines else [])

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(
                pool.map(each, splits_of(table, arguments.first, arguments.splits, arguments.rows, arguments.seed))
            )
        print(f"{table.stem}: {len(results)} splits, {len(inputs)} inputs")
        summary(results, names)


if __name__ == "__main__":
    main()
