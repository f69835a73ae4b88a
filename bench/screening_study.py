#!/usr/bin/env python3
"""How often does screening keep the inputs that matter?

    bench/screening_study.py build/bin/covary [--tables 20]

Tables of uniform inputs, three of which make the target: by functions of their own, by a product, or by an interaction
without main effects. Noise has the variance that makes the target's share that is explained what the line says. Asks
`covary describe`, which keeps what a search would keep: 30.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile
from collections.abc import Callable

from study import write_rows

TRUE = (0, 1, 2)  # which of them, in an order that is shuffled in the file
FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "three lines": lambda x: sum(x[i] for i in TRUE),
    "line, parabola, wave of three turns": lambda x: (
        math.sqrt(12) * x[0] + math.sqrt(180) * (x[1] - 0.5) ** 2 + math.sqrt(2) * math.sin(6 * math.pi * x[2])
    ),
    "three steps": lambda x: sum(x[i] > 0.7 for i in TRUE),
    "product of the three": lambda x: x[0] * x[1] * x[2],
    "interaction without main effects": lambda x: math.prod(1 if x[i] > 0.5 else -1 for i in TRUE),
}


def kept(
    program: str, function: Callable[[list[float]], float], rows: int, inputs: int, share: float, seed: int
) -> int:
    """How many of the three."""
    generator = random.Random(seed)
    table = [[generator.random() for _ in range(inputs)] for _ in range(rows)]
    target = [function(x) for x in table]
    noise = statistics.pstdev(target) * math.sqrt(1 / share - 1)
    names = [f"x{i}" for i in range(inputs)]
    order = names[:]
    generator.shuffle(order)
    lines = [
        {name: f"{value:.4f}" for name, value in zip(names, x, strict=True)}
        | {"y": repr(y + noise * generator.gauss(0, 1))}
        for x, y in zip(table, target, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        write_rows(path, lines, [*order, "y"])
        found = json.loads(subprocess.check_output([program, "describe", path, "--target", "y", "--json", "--quiet"]))
    return sum(entry["kept"] for entry in found["inputs"] if entry["name"] in {names[i] for i in TRUE})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--inputs", type=int, default=1000)
    options = parser.parse_args()
    print(f"of 3 x {options.tables} inputs that matter among {options.inputs}, the share that is kept")
    for name, function in FUNCTIONS.items():
        for rows in (50, 200, 1000):
            line = f"{name:38} {rows:5} rows"
            for share in (0.9, 0.5):
                counts = [
                    kept(options.program, function, rows, options.inputs, share, seed) for seed in range(options.tables)
                ]
                line += f"   {share:.0%} explained: {sum(counts) / 3 / options.tables:4.0%}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
