#!/usr/bin/env python3
"""Where a search ends by itself, and what going on would have brought.

    bench/budget_study.py build/bin/covary --data FOLDER --work WORK --plot docs/images/budget.svg

Searches each set as `covary search` does by default, to see where it ends, and goes on with a copy of that run
to --evaluations kernels. FOLDER holds the tables (airline.csv, tables/*.csv, m3/*.csv, ...). Runs are kept in WORK,
and what is there is not done again; --finished-only does nothing else. Prints, for each set and seed: the evaluations
after which it ended; the best value after the initial set, then, and after as many evaluations as a search does that
does not look for its end (three for each base kernel and 50 more), in nats below the best value of all; the CPU seconds
until then; and what the surrogate promised until the search ended and what came of it. The plot has the best value
over evaluations and over CPU seconds, with a dot where the search ended.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import pathlib
import random
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass

# name, file, target, rows (0: all; of the larger tables, drawn by a fixed seed)
SETS = [
    ("airline", "airline.csv", "Passengers", 0),
    ("M0694", "m3/M0694.csv", "y", 0),
    ("M0050", "m3/M0050.csv", "y", 0),
    ("Q0568", "m3/Q0568.csv", "y", 0),
    ("machine", "tables/machine.csv", "y", 0),
    ("concreteslump", "tables/concreteslump.csv", "y", 0),
    ("airfoil", "airfoil.csv", "sound_pressure", 150),
    ("powerplant", "powerplant.csv", "PE", 150),
    ("concrete", "concrete.csv", "strength", 150),
]


@dataclass
class Point:
    """One evaluation of a run."""

    best: float
    seconds: float
    promised: float
    gained: float
    is_initial: bool
    is_base_kernel: bool


def write_table(source: pathlib.Path, target: pathlib.Path, num_rows: int) -> None:
    """The rows to learn from, without columns that say how they were dealt."""
    with source.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows = [row for row in rows if row.get("split", "train") == "train"]
    if num_rows:
        random.Random(1).shuffle(rows)
        rows = rows[:num_rows]
    columns = [name for name in rows[0] if name not in ("split", "fold")]
    with target.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def improvement(mean: float, sd: float, best: float) -> float:
    """The expected improvement of a normal number on the best one."""
    if sd <= 0:
        return max(mean - best, 0.0)
    z = (mean - best) / sd
    return sd * (z * 0.5 * (1 + math.erf(z / math.sqrt(2))) + math.exp(-z * z / 2) / math.sqrt(2 * math.pi))


def points_of(run: pathlib.Path, num_rows: int) -> list[Point]:
    with sqlite3.connect(f"file:{run}/run.sqlite?mode=ro", uri=True) as file:
        rows = file.execute(
            "SELECT value, seconds + acquisition_seconds, origin, predicted_mean, predicted_sd, kernel FROM evaluation"
            " ORDER BY position"
        ).fetchall()
    points: list[Point] = []
    best, seconds = -math.inf, 0.0
    for value, spent, origin, mean, sd, kernel in rows:
        seconds += spent
        promised = improvement(mean * num_rows, sd * num_rows, best) if mean is not None else 0.0
        gained = max(value - best, 0.0) if value is not None and origin == "proposed" else 0.0
        best = max(best, value) if value is not None else best
        is_base_kernel = not any(sign in kernel for sign in ("+", "*", "CP("))
        points.append(Point(best, seconds, promised, gained, origin == "initial", is_base_kernel))
    return points


def searched(program: str, table: pathlib.Path, target: str, seed: int, run: pathlib.Path, *more: str) -> dict:
    words = [program, "search", str(table), "--target", target, "--seed", str(seed), "--threads", "1", "--quiet"]
    words += ["--finalists", "1", "--average", "none", "--json", "--out", str(run), *more]
    return json.loads(subprocess.check_output(words))


@dataclass
class Study:
    name: str
    seed: int
    num_rows: int
    end: str
    stop: int
    points: list[Point]


def study_of(options: argparse.Namespace, name: str, file: str, target: str, rows: int, seed: int) -> Study | None:
    table = options.work / f"{name}.csv"
    if not table.exists():
        write_table(options.data / file, table, rows)
    num_rows = len(table.read_text().splitlines()) - 1
    ended, longer = (options.work / f"{name}.{seed}.{kind}" for kind in ("ended", "longer"))
    told = ended.with_suffix(".json")
    if not told.exists():
        if options.finished_only:
            return None
        shutil.rmtree(ended, ignore_errors=True)
        found = searched(options.program, table, target, seed, ended)
        told.write_text(json.dumps({"end": found["end"], "evaluations": found["evaluations"]}))
    told_end = json.loads(told.read_text())
    if not longer.exists():
        shutil.copytree(ended, longer)
    if len(points_of(longer, num_rows)) < options.evaluations and not options.finished_only:
        searched(options.program, table, target, seed, longer, "--resume", "--max-evaluations", str(options.evaluations))
    points = points_of(longer, num_rows)
    return Study(name, seed, num_rows, told_end["end"], told_end["evaluations"], points)


def line_of(study: Study) -> str:
    points = study.points
    num_initial = sum(point.is_initial for point in points)
    usual = 3 * sum(point.is_initial and point.is_base_kernel for point in points) + 50
    last = points[-1]

    def at(number: int) -> Point:
        return points[min(number, len(points)) - 1]

    stop, before = at(study.stop), at(usual)
    promised, gained = (sum(getattr(point, key) for point in points[: study.stop]) for key in ("promised", "gained"))
    cells = [study.name, study.seed, study.num_rows, num_initial, study.stop, usual, len(points)]
    cells += [f"{last.best - point.best:.2f}" for point in (at(num_initial), stop, before)]
    cells += [f"{promised:.0f}", f"{gained:.1f}"]
    cells += [f"{point.seconds:.1f}" for point in (stop, before, last)]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


# ---- the plot ----

COLOURS = ("#0072b2", "#d55e00", "#009e73")
PANEL_WIDTH, PANEL_HEIGHT, GAP, LEFT, TOP = 250, 120, 44, 52, 26


def curve(points: list[Point], xs: list[float], x_max: float, y_max: float, x0: float, y0: float) -> str:
    """A staircase of nats that are still to come, cut off at y_max."""
    last = points[-1].best

    def place(x: float, missing: float) -> tuple[float, float]:
        return x0 + PANEL_WIDTH * x / x_max, y0 + PANEL_HEIGHT * min(missing, y_max) / y_max

    path, height = [], None
    for x, point in zip(xs, points, strict=True):
        if not math.isfinite(point.best):
            continue
        px, py = place(x, last - point.best)
        path.append(f"M{px:.1f} {py:.1f}" if height is None else f"H{px:.1f}V{py:.1f}" if py != height else f"H{px:.1f}")
        height = py
    return "".join(path)


def panel(studies: list[Study], by_time: bool, x0: float, y0: float) -> list[str]:
    def xs_of(study: Study) -> list[float]:
        return [p.seconds if by_time else float(i + 1) for i, p in enumerate(study.points)]

    x_max = max(xs_of(study)[-1] for study in studies)
    first = [s.points[sum(p.is_initial for p in s.points) - 1].best for s in studies]
    y_max = max(1.0, *(s.points[-1].best - best for s, best in zip(studies, first, strict=True))) * 1.1
    parts = [f'<rect x="{x0}" y="{y0}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" fill="none" stroke="#999"/>']
    unit = "CPU s" if by_time else "evaluations"
    parts.append(f'<text x="{x0 + PANEL_WIDTH}" y="{y0 + PANEL_HEIGHT + 13}" text-anchor="end">{x_max:.0f} {unit}</text>')
    parts.append(f'<text x="{x0}" y="{y0 + PANEL_HEIGHT + 13}">0</text>')
    parts.append(f'<text x="{x0 - 4}" y="{y0 + 9}" text-anchor="end">0</text>')
    parts.append(f'<text x="{x0 - 4}" y="{y0 + PANEL_HEIGHT}" text-anchor="end">−{y_max:.0f}</text>')
    if not by_time:
        parts.append(f'<text x="{x0}" y="{y0 - 6}" font-weight="bold">{studies[0].name}, {studies[0].num_rows} rows</text>')
    for study, colour in zip(studies, COLOURS, strict=False):
        xs = xs_of(study)
        parts.append(f'<path d="{curve(study.points, xs, x_max, y_max, x0, y0)}" fill="none" stroke="{colour}"/>')
        stop = min(study.stop, len(xs)) - 1
        missing = min(study.points[-1].best - study.points[stop].best, y_max)
        x, y = x0 + PANEL_WIDTH * xs[stop] / x_max, y0 + PANEL_HEIGHT * missing / y_max
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
    return parts


def plot(studies: list[Study], path: pathlib.Path) -> None:
    names = list(dict.fromkeys(study.name for study in studies))
    width, height = LEFT + 2 * (PANEL_WIDTH + GAP), TOP + len(names) * (PANEL_HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for row, name in enumerate(names):
        of_name = [study for study in studies if study.name == name]
        for column, by_time in enumerate((False, True)):
            parts += panel(of_name, by_time, LEFT + column * (PANEL_WIDTH + GAP), TOP + row * (PANEL_HEIGHT + GAP))
    path.write_text("\n".join([*parts, "</svg>", ""]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--sets", help="names, with commas; all of them if not given")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--evaluations", type=int, default=400)
    parser.add_argument("--finished-only", action="store_true", help="tell of the runs in WORK, and begin none")
    parser.add_argument("--plot", type=pathlib.Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    chosen = options.sets.split(",") if options.sets else [name for name, *_ in SETS]
    studies = []
    print("| data | seed | rows | initial set | ended after | fixed number | all | missing after the initial set | where it"
          " ended | fixed number | promised | gained | CPU s where it ended | fixed number | all |")
    print("|---|" + "---:|" * 14)
    for name, file, target, rows in SETS:
        if name not in chosen:
            continue
        for seed in range(1, options.seeds + 1):
            study = study_of(options, name, file, target, rows, seed)
            if study is None:
                continue
            studies.append(study)
            print(line_of(study), flush=True)
    if options.plot:
        plot(studies, options.plot)


if __name__ == "__main__":
    main()
