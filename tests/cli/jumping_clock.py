"""A clock that is set while a search runs changes nothing but the hours that are written down.

usage: jumping_clock.py PROGRAM JUMPING_CLOCK.so

tests/faults/jumping_clock.cpp lets the clock of the wall jump by hours and by more than a year, forward and back,
at each reading. Durations are measured by a clock that nobody can set, so that limits of time, progress, the
order of a history and what is gone on with are those of a sound clock. How often the wall's clock is read is
counted, too: to sign the lock and the run, and never for an evaluation.
"""
import argparse
import contextlib
import json
import os
import re
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from failing_disk import finished, printed, run, write_table
from run_cases import place

WORDS = "search t.csv --target y --restarts 1 --finalists 2 --threads 1 --json --out run --deterministic".split()


def stored(folder):
    with contextlib.closing(sqlite3.connect(f"file:{folder}/run/run.sqlite?mode=ro", uri=True)) as database:
        created, = database.execute("SELECT value FROM header WHERE name = 'created'").fetchone()
        return created, [s for s, in database.execute("SELECT wall_seconds FROM evaluation ORDER BY position")]


def check_time_limit(disturbed, folder):
    started = time.monotonic()
    result = disturbed([*WORDS, "--max-evaluations", "100000", "--time-limit", "1"])
    took = time.monotonic() - started
    told = json.loads(result.stdout)
    assert told["end"] == "time_limit", told["end"]
    assert 0.5 <= told["seconds"] <= took <= 60, (told["seconds"], took)
    created, seconds = stored(folder)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", created), created
    assert seconds == sorted(seconds) and 0 <= seconds[0] and seconds[-1] <= told["seconds"], seconds
    left = [float(n) for n in re.findall(r"(-?[\d.]+) s left", result.stderr)]
    assert left and all(0 <= n <= 1 for n in left), result.stderr


def check_resume(program, disturbed, folder, alone):
    """Parts that begin before the part before them, by the wall's clock, are one search all the same."""
    for num_evaluations in ("4", "9"):
        words = [*WORDS, "--quiet", "--max-evaluations", num_evaluations]
        result = disturbed([*words, *(["--resume"] if (folder / "run").exists() else [])])
    assert printed(result) == printed(finished(program, words, alone)), "another answer"
    seconds = stored(folder)[1]
    assert seconds == sorted(seconds), seconds
    assert seconds[-1] <= json.loads(result.stdout)["seconds"] < 60, result.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=place()) as name:
        folders = [Path(name) / part for part in ("limited", "resumed", "alone")]
        for folder in folders:
            folder.mkdir()
            write_table(folder / "t.csv", 40)
        log = Path(name) / "log"

        def disturbed_in(folder):
            def disturbed(words):
                log.unlink(missing_ok=True)
                result = run(arguments.program, words, folder, LD_PRELOAD=arguments.library,
                             COVARY_CLOCK_LOG=str(log))
                assert result.returncode == 0, result.stderr
                num_readings = len(log.read_text().splitlines())
                assert 1 <= num_readings <= 3, f"the clock of the wall was read {num_readings} times"
                return result
            return disturbed

        check_time_limit(disturbed_in(folders[0]), folders[0])
        check_resume(arguments.program, disturbed_in(folders[1]), folders[1], folders[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
