"""Every call that changes what is on disk fails in every way that a disk knows, one call at a time.

usage: failing_disk.py PROGRAM FAILING_DISK.so [--all]

A run of the program is repeated for each of its calls (tests/faults/failing_disk.cpp counts them): that call has
an error, or the disk is gone from there on, or full, or the write is short, or the process is killed in the
middle of it. Each ends well, or with one sentence and an exit code that the documents name; a file that was to
be there in the end is whole, as it was before, or absent. Then the same is asked for once more on a sound disk,
and the answer is that of a run that was left alone. Without --all, some of these faults.
"""
import argparse
import collections
import itertools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run_cases import TIMEOUT_SECONDS, place

WAYS = ["once", "dead", "full", "short", "killed"]
SEARCH = ("--target y --method random --restarts 1 --finalists 2 --threads 1 --space SE,LIN --operators +,* --quiet "
          "--json --out run --max-evaluations").split()


def write_table(path, num_rows):
    rows = "".join(f"{i},{math.sin(i / 2) + i / 5 + i * i % 7 / 50:.4f}\n" for i in range(num_rows))
    path.write_text("x,y\n" + rows)


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not k.endswith("seconds")}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def is_page(data):
    return data.startswith(b"<!doctype html>") and data.rstrip().endswith(b"</html>")


class Scenario:
    """What is asked of the program, in a folder where `prepare` has been; what is asked once more, as
    words or a function of the folder that gives them; the files that it makes."""

    def __init__(self, name, words, prepare=None, again=None, files=()):
        self.name, self.words, self.files = name, words, files
        self.prepare = prepare or (lambda folder, program: None)
        self.again = again or (lambda folder: words)

    def make(self, program, root):
        """The folder that it begins in, and what a run that is left alone makes there."""
        self.before = root / self.name / "before"
        self.before.mkdir(parents=True)
        write_table(self.before / "t.csv", 12)
        (self.before / "new.csv").write_text("x\n1.5\n20\n")
        self.prepare(self.before, program)
        alone = root / self.name / "alone"
        shutil.copytree(self.before, alone)
        self.printed = printed(finished(program, self.words, alone))
        self.old, self.new = contents(self.before, self.files), contents(alone, self.files)


def contents(folder, names):
    return {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in names}


def run(program, words, folder, **environment):
    return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, env={**os.environ, **environment})


def finished(program, words, folder):
    result = run(program, words, folder)
    assert result.returncode == 0, f"{words}: exit code {result.returncode}: {result.stderr}"
    return result


def printed(result):
    return without_times(json.loads(result.stdout)) if result.stdout.startswith("{") else result.stdout


def resumed(words):
    return lambda folder: [*words, "--resume"] if (folder / "run/run.sqlite").exists() else words


def with_a_run(folder, program):
    finished(program, ["search", "t.csv", *SEARCH, "2"], folder)
    finished(program, ["predict", "run/model.json", "t.csv", "--output", "p.csv"], folder)
    finished(program, ["evaluate", "t.csv", "--target", "y", "--kernel", "LIN", "--restarts", "1", "--save-model",
                       "m.json"], folder)


RUN = ["run/model.json", "run/report.html"]
SEARCH_4 = ["search", "t.csv", *SEARCH, "4"]
FORECAST = ["forecast", "t.csv", "--horizon", "2", *(word for word in SEARCH if word != "--json"), "3"]
SCENARIOS = [
    Scenario("search", SEARCH_4, again=resumed(SEARCH_4), files=RUN),
    Scenario("forecast", FORECAST, again=resumed(FORECAST), files=["run/forecast.csv", *RUN]),
    Scenario("resume", [*SEARCH_4, "--resume"], with_a_run, files=RUN),
    Scenario("replace", [*SEARCH_4, "--force"], with_a_run, files=RUN),
    Scenario("report", ["report", "run"], with_a_run, files=RUN),
    Scenario("predict", ["predict", "run/model.json", "new.csv", "--output", "p.csv"], with_a_run,
             files=["p.csv", *RUN]),
    Scenario("print", ["predict", "run/model.json", "new.csv"], with_a_run, files=RUN),
    Scenario("evaluate", ["evaluate", "t.csv", "--target", "y", "--kernel", "SE", "--restarts", "1", "--quiet",
                          "--save-model", "m.json", "--force"], with_a_run, files=["m.json"]),
]


def check_file(name, data, scenario):
    """As it was, or whole."""
    if name.endswith(".html"):
        assert data is None or is_page(data), f"{name} is not whole"
    elif name == "run/model.json" and data is None:
        pass  # the one of a run that is replaced goes before the new one comes
    else:
        assert data in (scenario.old[name], scenario.new[name]), f"{name} is neither the old nor the new one"


def check_end(result, call, way, scenario):
    """How the run with the fault ended."""
    code, words = result.returncode, result.stderr.splitlines()
    if way == "killed":
        assert code == -signal.SIGKILL, f"exit code {code} of one that was killed"
        return
    if code == 0:
        assert words == [], f"it ended well and says {words}"
        return
    assert code == 74, f"exit code {code}: {words}"
    assert len(words) == 1, f"not one sentence: {words}"
    told = r"covary: (\S*(run|p\.csv|m\.json)\S*: |standard output cannot be written to$)"
    assert re.match(told, words[0]), f"no path: {words[0]}"
    if not re.match("covary: standard output", words[0]):
        assert result.stdout == "" or call == "stdout", "something was printed before the error"


def disturb(program, library, scenario, number, way, root):
    """One run with a fault, and one after it. The exit code of the first; nothing, if there was no such call."""
    folder, log = root / "folder", root / "log"
    shutil.copytree(scenario.before, folder)
    result = run(program, scenario.words, folder, LD_PRELOAD=library, COVARY_FAIL_LOG=str(log),
                 COVARY_FAIL_CALL=str(number), COVARY_FAIL_HOW=way)
    calls = log.read_text().splitlines()
    log.unlink()
    if len(calls) >= number:
        what = f"{scenario.name}, call {number} ({calls[number - 1]}), {way}"
        try:
            check_end(result, calls[number - 1].split()[-1], way, scenario)
            for name, data in contents(folder, scenario.files).items():
                check_file(name, data, scenario)
                if result.returncode == 0 and not name.endswith(".html"):
                    assert data == scenario.new[name], f"it ended well without {name}"
            after = finished(program, scenario.again(folder), folder)
            assert printed(after) == scenario.printed, "another answer in the end"
            for name, data in contents(folder, scenario.files).items():
                assert is_page(data) if name.endswith(".html") else data == scenario.new[name], name
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}\n{result.stderr}") from error
    shutil.rmtree(folder)
    return result.returncode if len(calls) >= number else None


def num_calls(program, library, scenario, root):
    folder, log = root / "folder", root / "log"
    shutil.copytree(scenario.before, folder)
    run(program, scenario.words, folder, LD_PRELOAD=library, COVARY_FAIL_LOG=str(log))
    shutil.rmtree(folder)
    calls = log.read_text().splitlines()
    log.unlink()
    return len(calls)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory(dir=place()) as name:
        for scenario in SCENARIOS:
            if arguments.only and scenario.name != arguments.only:
                continue
            scenario.make(arguments.program, Path(name))
            most = num_calls(arguments.program, arguments.library, scenario, Path(name))
            assert most > 0, f"{scenario.name}: no call was counted"
            # Primes, so that every way has its turn at every kind of call.
            stride = 1 if arguments.all else 31 if most > 50 else 3
            started, codes = time.monotonic(), collections.Counter()
            for number, way in itertools.islice(itertools.product(range(1, most + 1), WAYS), 0, None, stride):
                try:
                    code = disturb(arguments.program, arguments.library, scenario, number, way, Path(name))
                    codes[way, code] += 1
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    failures.append(error)
                    shutil.rmtree(Path(name) / "folder")
            print(f"{scenario.name}: {most} calls, {codes.total()} faults in {time.monotonic() - started:.1f} s; exit "
                  f"codes: {', '.join(f'{way} {code}: {count}' for (way, code), count in sorted(codes.items(), key=str))}")
            assert any(code == 74 for _, code in codes) or codes.total() < 10, "no fault was noticed"
    for failure in failures[:40]:
        print(failure)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
