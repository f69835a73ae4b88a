"""Under any limit of its address space a run ends: with its result, or with one sentence and exit code 71.

usage: memory_limits.py PROGRAM AIRLINE.csv [--limits KB,KB,...]

OpenBLAS asks for a refused buffer again and again, so what is looked for is a run that does not end, one that
ends by a signal, and one that takes lack of memory for something else.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TIMEOUT_SECONDS = 100  # a hang, not a speed limit
DONE, NO_MEMORY, NO_LIBRARIES = 0, 71, 127


def commands(data):
    for threads in ("1", "2"):
        work = ["--restarts", "3", "--threads", threads]
        yield "search", ["search", data, "--target", "Passengers", "--out", "new", "--force", "--quiet",
                         "--max-evaluations", "3", "--finalists", "1", *work]
        yield "evaluate", ["evaluate", data, "--target", "Passengers", "--kernel", "SE+LIN", *work]
        yield "forecast", ["forecast", data, "--target", "Passengers", "--horizon", "3", "--out", "next",
                           "--force", "--max-evaluations", "3", "--finalists", "1", "--quiet", *work]
    yield "predict", ["predict", "run/model.json", data]
    yield "explain", ["explain", "run/model.json"]
    yield "report", ["report", "run", "--out", "page.html"]
    yield "distance", ["distance", "SE", "LIN"]


def run(words, folder, limit=None):
    def lower():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit * 1024, limit * 1024))
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    return subprocess.run(words, cwd=folder, preexec_fn=lower, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)


def check(what, done):
    if done.returncode == NO_LIBRARIES:  # so says the system, before there is a program
        assert "shared librar" in done.stderr, (what, done.stderr)
        return
    assert done.returncode in (DONE, NO_MEMORY), (what, done.returncode, done.stderr[-400:])
    if done.returncode == NO_MEMORY:
        lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
        assert len(lines) == 1 and re.fullmatch(r"covary: .*\d GB.*", lines[0]), (what, done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("data", type=os.path.abspath)
    parser.add_argument("--limits", default="60000,80000,110000,150000,230000,300000,400000")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = run([arguments.program, "search", arguments.data, "--target", "Passengers", "--out", "run",
                    "--max-evaluations", "3", "--restarts", "3", "--finalists", "1", "--quiet"], folder)
        assert made.returncode == DONE, made.stderr
        for limit in map(int, arguments.limits.split(",")):
            codes = {}
            for command, words in commands(arguments.data):
                what = f"{command} within {limit} kB"
                try:
                    done = run([arguments.program, *words], folder, limit)
                except subprocess.TimeoutExpired:
                    raise AssertionError(f"{what}: it hangs") from None
                check(what, done)
                codes.setdefault(command, []).append(done.returncode)
            print(limit, codes, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
