"""Runs `covary-paper all --quick` on synthetic data of the form of all five sets: once in one go, and
once killed again and again and resumed. Both must end with the same tables, times aside.

usage: paper_all_quick.py COVARY_PAPER [--data DIR]
"""
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KILLS = 6
# Their numbers are times, which differ from run to run, and what follows from them.
TIMED = {"time-ratio", "kernel-kernel-time", "search-curves", "test-performance"}


def write_table(path, names, rows, separator=","):
    lines = [separator.join(names)] + [separator.join(f"{v:.6g}" for v in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_data(folder):
    draw = random.Random(5)
    write_table(folder / "airline.csv", ["Month", "Passengers"],
                [[1949 + i / 12, 100 + i + 20 * math.sin(math.pi * i / 6) + draw.gauss(0, 5)]
                 for i in range(144)])
    shapes = {"powerplant.csv": (["AT", "V", "AP", "RH"], "PE"),
              "airfoil.csv": (["frequency", "angle_of_attack", "chord_length",
                               "free_stream_velocity", "displacement_thickness"], "sound_pressure"),
              "concrete.csv": (["cement", "blast_furnace_slag", "fly_ash", "water",
                                "superplasticizer", "coarse_aggregate", "fine_aggregate", "age"],
                               "strength")}
    for name, (inputs, target) in shapes.items():
        rows = []
        for _ in range(120):
            x = [draw.uniform(0, 10) for _ in inputs]
            rows.append(x + [math.sin(x[0]) + 0.3 * x[1] + draw.gauss(0, 0.1)])
        write_table(folder / name, inputs + [target], rows)
    lgbb = []
    for i in range(240):
        mach, alpha = draw.uniform(0.2, 6), draw.uniform(-5, 30)
        lgbb.append([mach, alpha, 0 if i % 2 else 2, math.tanh(alpha / 10) / mach] + [0.5] * 5)
    write_table(folder / "lgbb_original.txt",
                "mach alpha beta lift drag pitch side yaw roll".split(), lgbb, " ")
    path = folder / "lgbb_original.txt"
    path.write_text("# a comment\n" * 21 + path.read_text(encoding="utf-8"), encoding="utf-8")


def command(program, data, out):
    return [program, "all", "--quick", "--data", str(data), "--out", str(out), "--seeds", "1-2"]


def results(out):
    found = {}
    for path in sorted((out / "quick").glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        assert content["records"] or path.stem == "interpretability", path
        found[path.stem] = content
        for kind in (".md", ".csv"):
            assert path.with_suffix(kind).stat().st_size > 0, path
    return found


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "data"
        if "--data" in sys.argv:
            data = Path(sys.argv[sys.argv.index("--data") + 1]).resolve()
        else:
            data.mkdir()
            write_data(data)
        began = time.monotonic()
        whole = subprocess.run(command(program, data, folder / "whole"), capture_output=True,
                               text=True, check=False)
        seconds = time.monotonic() - began
        assert whole.returncode == 0, whole.stderr[-2000:]
        expected = results(folder / "whole")
        assert len(expected) == 9, sorted(expected)
        for name_, content in expected.items():
            assert f"# {content['title']}" in whole.stdout, name_
        print(f"all --quick: {seconds:.0f} s")

        # Killed after a random time, again and again; then left alone.
        draw = random.Random(1)
        for _ in range(KILLS):
            child = subprocess.Popen(command(program, data, folder / "torn"),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                child.wait(draw.uniform(0.05, 0.5) * seconds)
            except subprocess.TimeoutExpired:
                child.send_signal(draw.choice([2, 9, 15]))
                code = child.wait(60)
                assert code in (0, 130, -9), code
        last = subprocess.run(command(program, data, folder / "torn"), capture_output=True,
                              text=True, check=False)
        assert last.returncode == 0, last.stderr[-2000:]
        torn = results(folder / "torn")
        for name_, content in expected.items():
            if name_ not in TIMED:
                assert torn[name_]["tables"] == content["tables"], name_
    return 0


if __name__ == "__main__":
    sys.exit(main())
