"""A flipped bit of a run's file is refused, or changes nothing of what the program says and does.

usage: flipped_bits.py PROGRAM [--flips N]

Random bits of an unfinished run, which is gone on with, and of a finished one, which is reported on. Which bits
those are that change nothing, tests/unit/store/run_store_bits_test.cpp works out from the file's format.
"""
import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path

from failing_disk import SEARCH, finished, printed, run, without_times, write_table
from run_cases import place

SENTENCE = re.compile(r"covary: (run/run\.sqlite: it is damaged, or not a run of Covary; put back a copy of its folder, "
                      r"or begin a new run with --force|the run in run is of format version \d+, .*; use the version "
                      r"of Covary that made it, or a newer one)\n")


def flip(path, chosen):
    data = bytearray(path.read_bytes())
    bit = chosen.randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
    return bit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--flips", type=int, default=60)
    arguments = parser.parse_args()
    program, chosen = arguments.program, random.Random(1)
    with tempfile.TemporaryDirectory(dir=place()) as name:
        before, folder = Path(name) / "before", Path(name) / "flipped"
        before.mkdir()
        write_table(before / "t.csv", 12)
        finished(program, ["search", "t.csv", *SEARCH, "6"], before)
        more = ["search", "t.csv", *SEARCH, "8", "--resume"]

        def answer(words):
            """What it says of the flipped run; nothing, where it refuses it."""
            result = run(program, words, folder)
            if result.returncode == 0:
                return result
            assert result.returncode == 65 and SENTENCE.fullmatch(result.stderr), result
            assert result.stdout == "", result.stdout[:200]
            return None

        def answers():
            report = answer(["report", "run", "--json"])
            resumed = answer(more)
            return (without_times(json.loads(report.stdout)) if report else None,
                    (printed(resumed), (folder / "run/model.json").read_bytes()) if resumed else None)

        shutil.copytree(before, folder)
        sound, num_refused = answers(), 0
        for _ in range(arguments.flips):
            shutil.rmtree(folder)
            shutil.copytree(before, folder)
            bit = flip(folder / "run/run.sqlite", chosen)
            found = answers()
            refused = [one is None for one in found]
            assert all(refused) or not any(refused), f"bit {bit} is refused by one of two"
            assert all(refused) or found == sound, f"bit {bit} changes what comes out"
            num_refused += all(refused)
            if all(refused):  # what the sentence says to do helps
                fresh = finished(program, ["search", "t.csv", *SEARCH, "8", "--force"], folder)
                assert printed(fresh) == sound[1][0], f"bit {bit}: --force does not help"
    print(f"{arguments.flips} flips: {num_refused} refused, the others changed nothing")
    assert 0 < num_refused < arguments.flips
    return 0


if __name__ == "__main__":
    sys.exit(main())
