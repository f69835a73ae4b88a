#!/usr/bin/env python3
"""What a setting does to forecasts: two or more settings of `covary search` on the same series.

    bench/forecast_study.py build/bin/covary --data FOLDER -- "--transform none" "--transform auto"

FOLDER holds series as CSV files of the columns date, y and split (train or test), such as those of the M3
competition. Each setting searches the training rows of each series and predicts the test rows. Scores are
on the scale of the training rows' standard deviation: mean absolute error of the median, CRPS, log score,
coverage of the 95 % intervals; then base kernels and CPU seconds. The series are dealt into two halves: choose
by the first (--half first), report the second. Differences are from the first setting, with their standard
errors. Where FOLDER has a baselines.csv (columns file, method, mae, crps, ll, cover95), its methods' scores on
the same series are printed beside ours. Where names begin with different letters, as those of monthly and
quarterly series do, each of these kinds is summed up by itself too.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import pathlib
import random
import statistics

from study import Scores, searched, summary


def scores_of(program: str, series: pathlib.Path, setting: str) -> Scores:
    rows = list(csv.DictReader(series.open()))
    parts = {split: [row for row in rows if row["split"] == split] for split in ("train", "test")}
    return searched(program, parts["train"], parts["test"], "y", ["date"], setting)


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

    def each(path: pathlib.Path) -> list[Scores]:
        scores = [scores_of(arguments.program, path, setting) for setting in arguments.settings]
        print(path.stem, *(f"{one['log_score']:.3f}" for one in scores), flush=True)
        return scores

    def summed_up(title: str, results: dict[pathlib.Path, list[Scores]]) -> None:
        kinds = sorted({path.stem[0] for path in results})
        for kind in [""] + (kinds if len(kinds) > 1 else []):
            chosen = {path: scores for path, scores in results.items() if path.stem.startswith(kind)}
            print(f"{title}: {len(chosen)} series {kind}")
            summary(list(chosen.values()), arguments.settings)
            baselines(arguments.data, {path.stem for path in chosen})

    everything: dict[pathlib.Path, list[Scores]] = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, (title, paths) in halves.items():
            if arguments.half not in (name, "both"):
                continue
            results = dict(zip(paths, pool.map(each, paths)))
            summed_up(title, results)
            everything |= results
    if arguments.half == "both":
        summed_up("all", everything)


if __name__ == "__main__":
    main()
