"""A search that is killed at a random moment and then gone on with ends as one that was left alone.

usage: search_killed.py PROGRAM [--kills N] [--first N]

The moments are drawn from a fixed seed, one for each kill, as shares of the time that the search takes;
`--first` leaves out those before it, so that a slow test goes on where a fast one ended. Every number of the run
is the same bit for bit: model, history, finalists. search_interrupted.py has the other ways to die.
"""
import argparse
import collections
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from failing_disk import finished, is_page, printed, write_table
from run_cases import place

SEED = 7
WORDS = ("search t.csv --target y --restarts 2 --finalists 2 --threads 2 --quiet --json --out run --operators +,* "
         "--deterministic --max-evaluations 24").split()


def state(folder):
    """How far it had come."""
    run = folder / "run"
    if not (run / "run.sqlite").exists():
        return "before there was a run"
    if (run / "report.html").exists():
        return "after its report"
    if (run / "model.json").exists():
        return "after its model"
    if (run / "run.sqlite-journal").exists():
        return "inside of a write"
    with contextlib.closing(sqlite3.connect(f"file:{run}/run.sqlite?mode=ro", uri=True)) as database:
        done = database.execute("SELECT count(*) FROM evaluation").fetchone()[0]
    return "before the first evaluation" if done == 0 else "between evaluations"


def kill(program, folder, seconds):
    child = subprocess.Popen([program, *WORDS], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    child.kill()
    words = child.communicate()[1].decode()
    assert child.returncode in (0, -signal.SIGKILL) and words == "", (child.returncode, words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    shares = random.Random(SEED)
    states = collections.Counter()
    with tempfile.TemporaryDirectory(dir=place()) as name:
        alone, folder = Path(name) / "alone", Path(name) / "killed"
        alone.mkdir()
        write_table(alone / "t.csv", 24)
        started = time.monotonic()
        wanted = printed(finished(arguments.program, WORDS, alone))
        seconds = time.monotonic() - started
        model = (alone / "run/model.json").read_bytes()
        for number in range(arguments.first + arguments.kills):
            moment = shares.uniform(0, seconds)
            if number < arguments.first:
                continue
            folder.mkdir()
            shutil.copy(alone / "t.csv", folder)
            kill(arguments.program, folder, moment)
            states[state(folder)] += 1
            has_run = (folder / "run/run.sqlite").exists()
            after = finished(arguments.program, [*WORDS, *(["--resume"] if has_run else [])], folder)
            assert printed(after) == wanted, f"kill {number}, after {moment:.3f} s: another answer"
            assert (folder / "run/model.json").read_bytes() == model, f"kill {number}: another model"
            assert is_page((folder / "run/report.html").read_bytes()), f"kill {number}: no report"
            shutil.rmtree(folder)
    print(f"{arguments.kills} kills of a search of {seconds:.2f} s: {dict(states)}")
    assert states["between evaluations"] + states["inside of a write"] > arguments.kills / 20, "hardly any at work"
    return 0


if __name__ == "__main__":
    sys.exit(main())
