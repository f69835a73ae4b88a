#!/usr/bin/env python3
"""The best value that two methods have found after so many CPU seconds of fits and proposals.

    bench/equal_time_study.py build/bin/covary --data FOLDER --work WORK

Searches each set by `covary search` as it is, and with --method greedy, on one thread, for --seconds by the clock. Prints
the best values (nats, the kernel's own probability included) after 1, 2, 3, 5, 7 and 10 CPU seconds: medians over seeds,
and in how many seeds the first method is ahead, level (within 0.05 nats) and behind.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import shutil
import statistics

from budget_study import SETS, points_of, searched, write_table

TIMES = (1, 2, 3, 5, 7, 10)
# Both go on beyond their own end.
METHODS = {"sot": ("--max-evaluations", "400"), "greedy": ("--method", "greedy", "--max-evaluations", "100000")}
LEVEL = 0.05


def best_after(options: argparse.Namespace, table: pathlib.Path, target: str, seed: int, method: str) -> list[float]:
    run = options.work / f"{table.stem}.{seed}.{method}"
    if not (run / "run.sqlite").exists():
        shutil.rmtree(run, ignore_errors=True)
        searched(options.program, table, target, seed, run, *METHODS[method], "--time-limit", str(options.seconds))
    points = points_of(run, len(table.read_text().splitlines()) - 1)
    return [max((p.best for p in points if p.seconds <= time), default=-math.inf) for time in TIMES]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--sets", default="airline,airfoil,concrete,powerplant")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    print("| data | method |" + "".join(f" {time} s |" for time in TIMES))
    print("|---|---|" + "---:|" * len(TIMES))
    for name, file, target, rows in SETS:
        if name not in options.sets.split(","):
            continue
        table = options.work / f"{name}.csv"
        if not table.exists():
            write_table(options.data / file, table, rows)
        found = {
            method: [best_after(options, table, target, seed, method) for seed in range(1, options.seeds + 1)]
            for method in METHODS
        }
        for method, values in found.items():
            medians = [statistics.median(of_time) for of_time in zip(*values, strict=True)]
            print(f"| {name} | {method} |" + "".join(f" {median:.1f} |" for median in medians), flush=True)
        counts = []
        for place in range(len(TIMES)):
            gains = [a[place] - b[place] for a, b in zip(found["sot"], found["greedy"], strict=True)]
            ahead, behind = sum(gain > LEVEL for gain in gains), sum(gain < -LEVEL for gain in gains)
            counts.append(f"{ahead}, {len(gains) - ahead - behind}, {behind}")
        print(f"| {name} | sot ahead, level, behind |" + "".join(f" {count} |" for count in counts), flush=True)


if __name__ == "__main__":
    main()
