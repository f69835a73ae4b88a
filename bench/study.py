"""What studies of searches share: one search and its scores on rows that it has not seen, and their summary."""

from __future__ import annotations

import csv
import json
import math
import pathlib
import re
import statistics
import subprocess
import tempfile

Scores = dict[str, float]


def write_rows(path: pathlib.Path, rows: list[dict[str, str]], columns: list[str]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def num_base_kernels(kernel: str) -> int:
    """Of what a search prints, inputs in parentheses or not."""
    without_inputs = re.sub(r"\b(?!CP\b)([A-Z]+\d*)\([^()]*\)", r"\1", kernel)
    return len(re.findall(r"\b(?!CP\b)[A-Z]+\d*\b", without_inputs))


def searched(
    program: str,
    train: list[dict[str, str]],
    test: list[dict[str, str]],
    target: str,
    inputs: list[str],
    setting: str,
) -> Scores:
    """A search on the training rows, and what it says of the others on the scale of the training rows' sd."""
    unit = statistics.stdev(float(row[target]) for row in train)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for split, rows in (("train", train), ("test", test)):
            write_rows(folder / f"{split}.csv", rows, [*inputs, target])
        found = json.loads(
            subprocess.check_output(
                [program, "search", folder / "train.csv", "--target", target, "--threads", "1", "--quiet"]
                + ["--json", "--out", folder / "run", *setting.split()]
            )
        )
        text = subprocess.check_output(
            [program, "predict", folder / "run" / "model.json", folder / "test.csv", "--score", "--quiet"], text=True
        )
    total = dict.fromkeys(("mae", "rmse", "crps", "log_score", "coverage"), 0.0)
    for row, line in zip(test, csv.DictReader(text.splitlines()), strict=True):
        y, mean, lower, upper = float(row[target]), *(float(line[key]) for key in ("mean", "lower", "upper"))
        total["mae"] += abs(y - float(line.get("median", mean))) / unit / len(test)
        total["rmse"] += ((y - mean) / unit) ** 2 / len(test)
        total["crps"] += float(line["crps"]) / unit / len(test)
        total["log_score"] += (float(line["log_score"]) + math.log(unit)) / len(test)
        total["coverage"] += (lower <= y <= upper) / len(test)
    total["rmse"] = math.sqrt(total["rmse"])
    return total | {"base_kernels": num_base_kernels(found["kernel"]), "cpu_seconds": found["oracle_seconds"]}


def summary(results: list[list[Scores]], settings: list[str]) -> None:
    """Means of all scores; differences are from the first setting, with their standard errors."""
    for place, setting in enumerate(settings):
        print(f"  {setting}")
        for score in results[0][place]:
            values = [result[place][score] for result in results]
            line = f"    {score:13} mean {statistics.mean(values):8.3f}  median {statistics.median(values):8.3f}"
            if place > 0 and score in results[0][0] and len(values) > 1:
                gains = [result[place][score] - result[0][score] for result in results]
                error = statistics.stdev(gains) / math.sqrt(len(gains))
                better = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
                line += f"  difference {statistics.mean(gains):+8.3f} ± {error:.3f}  (up {better[0]}, down {better[1]})"
            print(line)
