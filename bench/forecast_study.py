#!/usr/bin/env python3
"""What a setting does to forecasts: two or more settings of `covary search` on the same series.

    bench/forecast_study.py build/bin/covary --data FOLDER -- "--transform none" "--transform auto"

FOLDER holds series as CSV files of the columns date, y and split (train or test), such as those of the M3
competition. Each setting searches the training rows of each series and predicts the test rows. Scores are
on the scale of the training rows' standard deviation: mean absolute error of the median, CRPS, log score,
coverage of the 95 % intervals; then base kernels and CPU seconds. The series are dealt into two halves: choose
by the first (--half first), report the second. Differences are from the first setting, with their standard
errors. Where FOLDER has a baselines.csv (columns file, method, mae, crps, ll, cover95), its methods' scores on
the same series are printed beside ours.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import tempfile

SCORES = ("mae", "crps", "log_score", "coverage", "base_kernels", "cpu_seconds")


def below(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))


def normal_scores(y: float, mean: float, sd: float) -> tuple[float, float]:
    """CRPS and log density of a Gaussian."""
    z = (y - mean) / sd
    density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    crps = sd * (z * (2 * below(z) - 1) + 2 * density - 1 / math.sqrt(math.pi))
    return crps, -0.5 * z * z - math.log(sd * math.sqrt(2 * math.pi))


def lognormal_scores(y: float, mean: float, sd: float) -> tuple[float, float]:
    """The same of exp(x), x being Gaussian."""
    z = (math.log(y) - mean) / sd
    middle = math.exp(mean + 0.5 * sd * sd)
    crps = y * (2 * below(z) - 1) - 2 * middle * (below(z - sd) + below(sd / math.sqrt(2)) - 1)
    return crps, -0.5 * z * z - math.log(sd * math.sqrt(2 * math.pi)) - math.log(y)


def scores_of(program: str, series: pathlib.Path, setting: str) -> dict[str, float]:
    rows = list(csv.DictReader(series.open()))
    train = [float(row["y"]) for row in rows if row["split"] == "train"]
    test = [float(row["y"]) for row in rows if row["split"] == "test"]
    unit = statistics.stdev(train)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for split in ("train", "test"):
            lines = [f"{row['date']},{row['y']}" for row in rows if row["split"] == split]
            (folder / f"{split}.csv").write_text("\n".join(["date,y", *lines, ""]))
        found = json.loads(
            subprocess.check_output(
                [program, "search", folder / "train.csv", "--target", "y", "--threads", "1", "--quiet"]
                + ["--json", "--out", folder / "run", *setting.split()]
            )
        )
        text = subprocess.check_output(
            [program, "predict", folder / "run" / "model.json", folder / "test.csv"], text=True
        )
    total = dict.fromkeys(("mae", "crps", "log_score", "coverage"), 0.0)
    for y, line in zip(test, csv.DictReader(text.splitlines()), strict=True):
        mean, sd, lower, upper = (float(line[key]) for key in ("mean", "sd", "lower", "upper"))
        median = float(line.get("median", mean))
        if found["transform"] == "log":
            sd = (math.log(upper) - math.log(lower)) / (2 * 1.959963984540054)
            crps, log_score = lognormal_scores(y, math.log(median), sd)
        elif found["transform"] == "none":
            crps, log_score = normal_scores(y, mean, sd)
        else:
            raise SystemExit(f"{series}: no scores for the transform {found['transform']}")
        total["mae"] += abs(y - median) / unit / len(test)
        total["crps"] += crps / unit / len(test)
        total["log_score"] += (log_score + math.log(unit)) / len(test)
        total["coverage"] += (lower <= y <= upper) / len(test)
    leaves = len(re.findall(r"[A-Z]+\d*", found["kernel"].replace("CP(", "(")))
    return total | {"base_kernels": leaves, "cpu_seconds": found["oracle_seconds"]}


def summary(results: list[list[dict[str, float]]], settings: list[str]) -> None:
    for place, setting in enumerate(settings):
        print(f"  {setting}")
        for score in SCORES:
            values = [result[place][score] for result in results]
            line = f"    {score:13} mean {statistics.mean(values):8.3f}  median {statistics.median(values):8.3f}"
            if place > 0:
                gains = [result[place][score] - result[0][score] for result in results]
                error = statistics.stdev(gains) / math.sqrt(len(gains))
                better = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
                line += f"  difference {statistics.mean(gains):+8.3f} ± {error:.3f}  (up {better[0]}, down {better[1]})"
            print(line)


def baselines(data: pathlib.Path, names: set[str]) -> None:
    """What the methods of baselines.csv reach on these series."""
    table = data / "baselines.csv"
    if not table.exists():
        return
    methods: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(table.open()):
        if row["file"] in names:
            methods.setdefault(row["method"], []).append(row)
    for method, rows in methods.items():
        means = {key: statistics.mean(float(row[key]) for row in rows) for key in ("mae", "crps", "ll", "cover95")}
        print(f"  {method:14} " + "  ".join(f"{key} {mean:7.3f}" for key, mean in means.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--series", type=int, default=48, help="so many of them, drawn at random")
    parser.add_argument("--half", choices=("first", "second", "both"), default="both", help="do these only")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=1, help="series under way at once")
    parser.add_argument("settings", nargs="+")
    arguments = parser.parse_args()
    files = [path for path in sorted(arguments.data.glob("*.csv")) if "split" in path.open().readline()]
    random.Random(arguments.seed).shuffle(files)
    files = files[: arguments.series]
    halves = {"first": ("first half, to choose by", files[0::2]), "second": ("second half, to report", files[1::2])}

    def each(path: pathlib.Path) -> list[dict[str, float]]:
        scores = [scores_of(arguments.program, path, setting) for setting in arguments.settings]
        print(path.stem, *(f"{one['log_score']:.3f}" for one in scores), flush=True)
        return scores

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, (title, paths) in halves.items():
            if arguments.half not in (name, "both"):
                continue
            results = list(pool.map(each, paths))
            print(f"{title}: {len(paths)} series")
            summary(results, arguments.settings)
            baselines(arguments.data, {path.stem for path in paths})


if __name__ == "__main__":
    main()
