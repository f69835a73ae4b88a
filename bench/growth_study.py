#!/usr/bin/env python3
"""How the CPU time of a default search grows with the rows, and what its model is worth.

    bench/growth_study.py build/bin/covary [--rows 500,2000,8000,32000] [--data DATA.csv --target COLUMN]

Without --data the rows are simulated: four inputs, of which one waves, two act together and one does nothing, and noise
of a tenth of the variance; the log score is that of 2,000 unseen rows, on the scale of the target's standard deviation,
beside the score of the function and noise that they were drawn with. With --data so many rows of the table are drawn at
random, and the others, 2,000 at the most, are predicted. CPU seconds are of everything, the report too; the slope is that
of least squares in logarithms.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile
import time

from study import write_rows

NUM_TEST = 2000
NOISE_SHARE = 0.1

Rows = list[dict[str, str]]


def function_of(a: float, b: float, c: float) -> float:
    return math.sin(9.0 * a) + math.exp(-4.0 * ((b - 0.3) ** 2 + (c - 0.6) ** 2)) * 3.0 - b


def simulated(count: int, seed: int) -> tuple[Rows, float]:
    """Rows, and the log score of whoever knows the function and the noise."""
    draws = random.Random(seed)
    inputs = [[draws.random() for _ in range(4)] for _ in range(count)]
    truth = [function_of(*row[:3]) for row in inputs]
    noise = math.sqrt(NOISE_SHARE * statistics.pvariance(truth))
    target = [value + noise * draws.gauss(0.0, 1.0) for value in truth]
    unit = statistics.pstdev(target)
    rows = [
        {f"x{i + 1}": repr(x) for i, x in enumerate(row)} | {"y": repr(y)} for row, y in zip(inputs, target, strict=True)
    ]
    return rows, -0.5 * math.log(2.0 * math.pi * math.e * (noise / unit) ** 2)


def split_of(options: argparse.Namespace, count: int) -> tuple[Rows, Rows, float | None]:
    if options.data is None:
        rows, best = simulated(count + NUM_TEST, options.seed)
        return rows[:count], rows[count:], best
    rows = list(csv.DictReader(options.data.open()))
    random.Random(options.seed).shuffle(rows)
    return rows[:count], rows[count : count + NUM_TEST], None


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", default="500,2000,8000,32000")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--target", default="y")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--settings", default="--threads 1", help="options of the search")
    options = parser.parse_args()
    points = []
    print("| rows | CPU s | wall s | RMSE | log score | of the truth | 95 % coverage | evaluations | kernel |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
    for count in map(int, options.rows.split(",")):
        train, test, best = split_of(options, count)
        unit = statistics.pstdev(float(row[options.target]) for row in train)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for split, rows in (("train", train), ("test", test)):
                write_rows(folder / f"{split}.csv", rows, list(train[0]))
            before, begun = cpu_seconds(), time.monotonic()
            search = [options.program, "search", folder / "train.csv", "--target", options.target, "--quiet", "--json"]
            search += ["--seed", str(options.seed), "--out", folder / "run", *options.settings.split()]
            found = json.loads(subprocess.check_output(search))
            cpu, wall = cpu_seconds() - before, time.monotonic() - begun
            predict = [options.program, "predict", folder / "run/model.json", folder / "test.csv", "--score", "--quiet"]
            lines = list(csv.DictReader(subprocess.check_output(predict, text=True).splitlines()))
        targets = [float(row[options.target]) for row in test]
        squares = statistics.mean((y - float(line["mean"])) ** 2 for y, line in zip(targets, lines, strict=True))
        score = statistics.mean(float(line["log_score"]) for line in lines) + math.log(unit)
        inside = [float(line["lower"]) <= y <= float(line["upper"]) for y, line in zip(targets, lines, strict=True)]
        points.append((math.log(count), math.log(cpu)))
        truth = "" if best is None else f"{best:.4f}"
        print(
            f"| {count} | {cpu:.0f} | {wall:.0f} | {math.sqrt(squares) / unit:.4f} | {score:.4f} | {truth} | "
            f"{statistics.mean(inside):.3f} | {found['evaluations']} | `{found['kernel']}` |",
            flush=True,
        )
    if len(points) > 1:
        slope = statistics.linear_regression(*zip(*points)).slope
        print(f"\nslope of log CPU time over log rows: {slope:.2f}")


if __name__ == "__main__":
    main()
