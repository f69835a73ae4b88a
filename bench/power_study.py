#!/usr/bin/env python3
"""Would a power of the target earn its place beside the logarithm and none?

    bench/power_study.py build/bin/covary --data FOLDER [--power 0.5]

On the first half of the series that bench/forecast_study.py deals, one fixed kernel is fitted to the target, its power
and its logarithm. The evidence, the Jacobian included, chooses among two of them and among all three; the forecasts of
the test rows are scored on the scale of the training rows' standard deviation.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

from study import write_rows

KERNEL = "YEAR*MAT32 + MAT32 + LIN"
NORMAL = statistics.NormalDist()


def value(power: float, y: float) -> float:
    return y**power if power else math.log(y)


def slope(power: float, y: float) -> float:
    return power * y ** (power - 1) if power else 1 / y


def taken_back(power: float, z: float) -> float:
    return max(z, 0.0) ** (1 / power) if power else math.exp(z)


def fitted(program: str, train: list[dict[str, str]], test: list[dict[str, str]], power: float) -> tuple[float, ...]:
    """Evidence of the target itself, CRPS and log score."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for split, rows in (("train", train), ("test", test)):
            powers = [row | {"y": repr(value(power, float(row["y"])))} for row in rows]
            write_rows(folder / f"{split}.csv", powers, ["date", "y"])
        evaluate = [program, "evaluate", folder / "train.csv", "--target", "y", "--kernel", KERNEL]
        model = folder / "model.json"
        found = json.loads(
            subprocess.check_output([*evaluate, "--priors", "informed", "--json", "--save-model", model])
        )
        lines = subprocess.check_output([program, "predict", model, folder / "test.csv", "--quiet"], text=True)
    known = [float(row["y"]) for row in train]
    unit = statistics.pstdev(known)
    unit_of_power = statistics.pstdev(value(power, y) for y in known)
    evidence = found["value"] + sum(math.log(slope(power, y) * unit / unit_of_power) for y in known)
    crps = log_score = 0.0
    for row, line in zip(test, csv.DictReader(lines.splitlines()), strict=True):
        y, mean, sd = float(row["y"]), float(line["mean"]), float(line["sd"])
        z = (value(power, y) - mean) / sd
        log_score += (math.log(NORMAL.pdf(z) or 1e-300) - math.log(sd) + math.log(slope(power, y) * unit)) / len(test)
        for place in range(100):
            probability = (place + 0.5) / 100
            distance = y - taken_back(power, mean + sd * NORMAL.inv_cdf(probability))
            crps += 2 * max(probability * distance, (probability - 1) * distance) / 100 / unit / len(test)
    return evidence, crps, log_score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--power", type=float, default=0.5)
    arguments = parser.parse_args()
    files = [path for path in sorted(arguments.data.glob("*.csv")) if "split" in path.open().readline()]
    random.Random(7).shuffle(files)
    gains: list[float] = []
    differences: list[tuple[float, float]] = []
    for path in files[0:120:2]:
        rows = list(csv.DictReader(path.open()))
        train, test = ([row for row in rows if row["split"] == split] for split in ("train", "test"))
        none, power, log = (fitted(arguments.program, train, test, one) for one in (1.0, arguments.power, 0.0))
        two, three = max(none, log), max(none, power, log)
        gains.append(power[0] - two[0])
        differences.append((three[1] - two[1], three[2] - two[2]))
    print(f"{len(gains)} series; the power has the most evidence in {sum(gain > 0 for gain in gains)}, by {max(gains):.1f} at most")
    for name, values in zip(("CRPS", "log score"), zip(*differences)):
        error = statistics.stdev(values) / math.sqrt(len(values))
        print(f"{name} with it less without: {statistics.mean(values):+.4f} ± {error:.4f}")


if __name__ == "__main__":
    main()
