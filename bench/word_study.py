#!/usr/bin/env python3
"""How often a search with its defaults finds the right word: data drawn from models that have it.

    bench/word_study.py build/bin/covary [FAMILY ...] [--draws 30] [--rows 100] [--jobs 2]

Each family draws tables from a model that one word of the language describes (a transform of the target, a
yearly cycle, a line with a cycle on it, a random walk, noise that grows, a break, a category), and the same without
it, so that the word can be found where it is not. Prints how many kernels had the word, of those with it and of those
without, and how many base kernels they had.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile
from typing import Callable

from study import num_base_kernels

Row = tuple[object, ...]
Table = tuple[list[str], list[Row]]
Found = tuple[bool, int, str]  # the word; how many base kernels; what was found


def months(count: int) -> list[str]:
    return [datetime.date(1990 + i // 12, 1 + i % 12, 1).isoformat() for i in range(count)]


def smooth(draw: random.Random, count: int, waves: int = 3) -> list[float]:
    """A smooth curve of unit size over the rows."""
    parts = [(draw.uniform(0.3, 1.5), draw.uniform(0, 2 * math.pi), draw.gauss(0, 1)) for _ in range(waves)]
    curve = [sum(a * math.sin(2 * math.pi * f * i / count + p) for f, p, a in parts) for i in range(count)]
    return scaled(curve)


def scaled(values: list[float]) -> list[float]:
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / sd for value in values]


def transform(draw: random.Random, count: int, has_word: bool) -> Table:
    inner = [a + 0.15 * draw.gauss(0, 1) for a in smooth(draw, count)]
    target = [math.exp(0.8 * a) for a in inner] if has_word else [20 + a for a in inner]
    return ["x", "y"], list(zip(range(count), target))


def year(draw: random.Random, count: int, has_word: bool) -> Table:
    shape = [(k, draw.uniform(0, 2 * math.pi), 1.0 / k) for k in (1, 2, 3)]
    cycle = scaled([sum(a * math.sin(2 * math.pi * k * i / 12 + p) for k, p, a in shape) for i in range(count)])
    trend = smooth(draw, count)
    target = [t + (c if has_word else 0.0) + 0.3 * draw.gauss(0, 1) for t, c in zip(trend, cycle)]
    return ["month", "y"], list(zip(months(count), target))


def cycle(draw: random.Random, count: int, has_word: bool) -> Table:
    period, phase = draw.uniform(0.1, 0.4) * count, draw.uniform(0, 2 * math.pi)
    slope = draw.choice((-1.0, 1.0))
    line = scaled([slope * i for i in range(count)])
    wave = [(1.0 if has_word else 0.0) * math.sin(2 * math.pi * i / period + phase) for i in range(count)]
    return ["x", "y"], [(i, a + b + 0.3 * draw.gauss(0, 1)) for i, (a, b) in enumerate(zip(line, wave))]


def walk(draw: random.Random, count: int, has_word: bool) -> Table:
    place, places = 0.0, []
    for _ in range(count):
        place += draw.gauss(0, 1)
        places.append(place)
    target = scaled(places) if has_word else smooth(draw, count)
    return ["month", "y"], list(zip(months(count), (y + 0.02 * draw.gauss(0, 1) for y in target)))


def noise(draw: random.Random, count: int, has_word: bool) -> Table:
    curve = smooth(draw, count)
    sizes = [0.02 + 0.9 * i / count if has_word else 0.4 for i in range(count)]
    return ["x", "y"], [(i, c + s * draw.gauss(0, 1)) for i, (c, s) in enumerate(zip(curve, sizes))]


def change(draw: random.Random, count: int, has_word: bool) -> Table:
    place = draw.randint(count // 3, 2 * count // 3)
    before, after = draw.gauss(0, 0.02), draw.gauss(0, 0.02)
    jump = draw.choice((-1, 1)) * draw.uniform(1.5, 3.0)
    target = []
    for i in range(count):
        level = before * (i - place)
        if has_word and i >= place:
            level = jump + after * (i - place)
        target.append(level + 0.3 * draw.gauss(0, 1))
    return ["month", "y"], list(zip(months(count), target))


def category(draw: random.Random, count: int, has_word: bool) -> Table:
    levels = ["north", "south", "east", "west"]
    offset = dict(zip(levels, scaled([draw.gauss(0, 1) for _ in levels])))
    slope = draw.gauss(0, 1)
    rows = []
    for _ in range(count):
        a, b, level = draw.random(), draw.random(), draw.choice(levels)
        y = math.sin(5 * a) + slope * b + (offset[level] if has_word else 0.0) + 0.3 * draw.gauss(0, 1)
        rows.append((a, b, level, y))
    return ["a", "b", "region", "y"], rows


# What draws a table, and the words of which one is right.
FAMILIES: dict[str, tuple[Callable[[random.Random, int, bool], Table], tuple[str, ...]]] = {
    "transform": (transform, ("log",)),
    "year": (year, ("YEAR",)),
    "cycle": (cycle, ("PER",)),
    "walk": (walk, ("RW", "MAT12")),
    "noise": (noise, ("WN",)),
    "change": (change, ("CP",)),
    "category": (category, ("CAT", "ALIKE")),
}


def found(program: str, family: str, number: int, rows: int, has_word: bool, extra: list[str]) -> Found:
    make, words = FAMILIES[family]
    header, table = make(random.Random(f"{family} {number}"), rows, has_word)
    with tempfile.TemporaryDirectory() as name:
        data = pathlib.Path(name) / "data.csv"
        data.write_text("\n".join([",".join(header), *(",".join(map(str, row)) for row in table), ""]))
        command = [program, "search", data, "--target", "y", "--threads", "1", "--json", "--quiet"]
        result = json.loads(subprocess.check_output([*command, "--out", f"{name}/run", *extra]))
    sentence = f"{result['transform']} {result['kernel']}" if family == "transform" else result["kernel"]
    hit = any(word in sentence for word in words)
    return hit, num_base_kernels(result["kernel"]), f"{result['transform']}: {result['kernel']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="every kernel")
    parser.add_argument("--search", default="", help="further options of the search")
    arguments = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for family in arguments.families:
            counts = []
            for has_word in (True, False):
                results = list(
                    pool.map(
                        lambda number: found(
                            arguments.program, family, number, arguments.rows, has_word, arguments.search.split()
                        ),
                        range(arguments.draws),
                    )
                )
                size = statistics.mean(leaves for _, leaves, _ in results)
                counts.append(f"{sum(hit for hit, _, _ in results):3} of {arguments.draws} that ")
                counts[-1] += f"{'have it' if has_word else 'do not'} ({size:.1f} base kernels)"
                if arguments.show:
                    print(*(f"  {'with' if has_word else 'without'}: {kernel}" for *_, kernel in results), sep="\n")
            print(f"{family:10} {', '.join(counts)}", flush=True)


if __name__ == "__main__":
    main()
