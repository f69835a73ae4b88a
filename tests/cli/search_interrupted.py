"""Searches that are interrupted again and again end as one that was left alone.

usage: search_interrupted.py PROGRAM [--deaths N] [--seed N]

Real processes are killed at random moments, in the middle of a write, by a limit on file sizes (as by
a full disk), and by signals that ask them to end; each is gone on with. Afterwards every number of the
run is the same bit for bit, and no evaluation was done twice. The moments are those of the machine, so
no two runs of this test are the same; it prints what happened.
"""
import argparse
import collections
import contextlib
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run_cases import TIMEOUT_SECONDS

TABLE = "it's a table.csv"  # a name that a shell does not take as it is
FEWER = ["--target", "y", "--out", "run", "--operators", "+,*", "--restarts", "4", "--finalists", "3",
         "--threads", "2", "--json", "--max-evaluations"]
OPTIONS = [*FEWER, "30"]
TIMES = ("seconds", "wall_seconds", "acquisition_seconds")


def write_table(path, num_rows):
    def value(i):
        return math.sin(i / 3) + 3 * i / num_rows + (i * 7919 % 13 - 6) * 0.02
    path.write_text("x,y\n" + "".join(f"{i},{value(i):.6f}\n" for i in range(num_rows)))


class Process:
    """A search at work in a folder. Its stderr goes to a file, to look into while it runs."""

    def __init__(self, words, folder, max_file_bytes=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))
        self.folder = folder
        self.started = time.monotonic()
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            self.child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=err, preexec_fn=limit if max_file_bytes else None)

    def is_running(self):
        if time.monotonic() - self.started > TIMEOUT_SECONDS:
            self.child.kill()
            raise AssertionError("it hangs")
        return self.child.poll() is None

    def stderr(self):
        return (self.folder / "stderr").read_text()

    def wait_for(self, text):
        """False if it ended before it said so."""
        while text not in self.stderr():
            if not self.is_running():
                return False
            time.sleep(0.002)
        return True

    def sleep(self, seconds):
        end = time.monotonic() + seconds
        while self.is_running() and time.monotonic() < end:
            time.sleep(0.002)

    def ask_to_end(self, number):
        if self.is_running():
            self.child.send_signal(number)

    def end(self):
        while self.is_running():
            time.sleep(0.002)
        return self.child.returncode


# ---- the ways to die; each starts a process and returns it when its end is near ----

def killed_at_random(start, span):
    process = start()
    process.sleep(random.uniform(0, span))
    process.ask_to_end(signal.SIGKILL)
    return process


def killed_while_writing(start, span):
    """Stopped first, so that the journal that was seen is there for certain when it is killed."""
    process = start()
    journal = process.folder / "run" / "run.sqlite-journal"
    process.sleep(random.uniform(0, span))
    while process.is_running():
        if not journal.exists():
            continue
        process.child.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if journal.exists():
            process.child.kill()
            break
        process.child.send_signal(signal.SIGCONT)
    return process


def killed_while_held_up(start, span):
    """Somebody reads the run, so that the next write gets as far as the journal and waits there; or,
    where only the last words are left to be written, waits for the file without one."""
    process = start()
    file = process.folder / "run" / "run.sqlite"
    if process.wait_for("evaluations to do"):
        process.sleep(random.uniform(0, span))
        with contextlib.closing(sqlite3.connect(file.as_uri() + "?mode=ro", uri=True)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM evaluation").fetchone()
            patience = time.monotonic() + 5
            while (process.is_running() and time.monotonic() < patience
                   and not file.with_name("run.sqlite-journal").exists()):
                time.sleep(0.001)
            process.ask_to_end(signal.SIGKILL)
            process.end()
    return process


def without_room(start, _span):
    return start(max_file_bytes=random.randrange(16_384, 40_000))


def asked_to_end(start, span):
    process = start()
    if process.wait_for("evaluations to do"):
        process.sleep(random.uniform(0, span))
        process.ask_to_end(random.choice([signal.SIGINT, signal.SIGTERM]))
    return process


def asked_to_end_before_the_last_fits(start, _span):
    process = start()
    if process.wait_for("once more"):
        process.ask_to_end(signal.SIGINT)
    return process


DEATHS = [killed_at_random, killed_while_writing, killed_while_held_up, without_room, asked_to_end,
          asked_to_end_before_the_last_fits]


# ---- what a run holds ----

def evaluations(folder):
    """Position → column → value. From a copy: whoever reads a torn file first mends it, and that is to
    be the search."""
    if not (folder / "run" / "run.sqlite").exists():
        return {}
    copy = folder / "copy"
    shutil.copytree(folder / "run", copy)
    with contextlib.closing(sqlite3.connect(copy / "run.sqlite")) as run:
        run.row_factory = sqlite3.Row
        rows = {row["position"]: dict(row) for row in run.execute("SELECT * FROM evaluation")}
    shutil.rmtree(copy)
    return rows


def without_times(rows):
    return {position: {k: v for k, v in row.items() if k not in TIMES} for position, row in rows.items()}


def printed(folder):
    result = json.loads((folder / "stdout").read_text())
    for record in result["history"]:
        record.pop("seconds")
    return {key: value for key, value in result.items() if not key.endswith("seconds")}


def predictions(program, folder):
    return subprocess.run([program, "predict", "run/model.json", TABLE], cwd=folder, check=True,
                          capture_output=True).stdout


def check_no_repeat(process, before):
    """What was stored stays as it was, times included, and is not told of as if it were new."""
    after = evaluations(process.folder)
    for position, row in before.items():
        assert after.get(position) == row, f"evaluation {position} was changed or lost"
    places = [int(n) - 1 for n in re.findall(r"^(\d+)/\d+,", process.stderr(), re.MULTILINE)]
    repeated = set(places) & set(before)
    assert not repeated and len(places) == len(set(places)), f"evaluated again: {repeated or places}"
    return after


def check_end(process, code):
    """The exit code and the last words; the command to go on with, if there is one."""
    lines = process.stderr().splitlines()
    if code == -signal.SIGKILL:
        return None
    assert (process.folder / "stdout").read_bytes() == b"", "something was printed before the error"
    if code == 74:
        assert re.fullmatch(r"covary: \S+: .*(disk|written).*", lines[-1]), lines[-1]
        return None
    assert code in (128 + signal.SIGINT, 128 + signal.SIGTERM), f"exit code {code}: {lines}"
    found = re.fullmatch(r"covary: interrupted; everything finished is kept in run; go on with: (.+)",
                         lines[-1])
    assert found, lines[-1]
    return found[1]


# ---- the tests ----

class Tally:
    """The deaths that were died. Those to come are dealt like cards, so that all kinds have their turn."""

    def __init__(self, num_wanted):
        self.num_wanted = num_wanted
        self.died = collections.Counter()
        self.num_torn = 0
        self.deck = []

    def next(self):
        if self.died.total() >= self.num_wanted:
            return None
        if not self.deck:
            self.deck = random.sample(DEATHS, len(DEATHS))
        return self.deck.pop()

    def __str__(self):
        return f"{dict(self.died)}, {self.num_torn} of them with a torn write"


def search_through_deaths(program, folder, span, tally):
    """One search from its beginning to its end, in spite of the deaths on the way."""
    stored, pasted = {}, None
    for _ in range(10 * tally.num_wanted):
        has_run = (folder / "run" / "run.sqlite").exists()
        if pasted:
            words = ["bash", "-c", "exec " + pasted]
        else:
            words = [program, "search", TABLE, *OPTIONS, *(["--resume"] if has_run else [])]

        def start(words=words, **limits):
            return Process(words, folder, **limits)

        death = tally.next()
        process = death(start, span) if death else start()
        code = process.end()
        is_torn = (folder / "run" / "run.sqlite-journal").exists()
        stored = check_no_repeat(process, stored)
        if code == 0:
            return
        pasted = check_end(process, code)
        assert death is not None, process.stderr()
        tally.died[death.__name__] += 1
        tally.num_torn += is_torn
    raise AssertionError("the search does not get on")


def test_deaths(program, root, tally):
    alone = root / "alone"
    alone.mkdir()
    write_table(alone / TABLE, 60)
    process = Process([program, "search", TABLE, *OPTIONS], alone)
    assert process.end() == 0, process.stderr()
    seconds = time.monotonic() - process.started
    assert len(evaluations(alone)) == 30
    while tally.died.total() < tally.num_wanted:
        folder = root / "disturbed"
        folder.mkdir()
        shutil.copy(alone / TABLE, folder)
        search_through_deaths(program, folder, seconds / 2, tally)
        assert without_times(evaluations(folder)) == without_times(evaluations(alone)), "another history"
        assert printed(folder) == printed(alone), "another result"
        assert (folder / "run/model.json").read_bytes() == (alone / "run/model.json").read_bytes()
        assert predictions(program, folder) == predictions(program, alone)
        shutil.rmtree(folder)
    assert tally.num_torn > 0, "no write was torn"


def test_open_end_after_deaths(program, root):
    """Without a number of evaluations, a search that was killed ends at the same one as another."""
    alone, folder = root / "open alone", root / "open"
    words = [program, "search", TABLE, *FEWER[:-1], "--deterministic"]
    for place in (alone, folder):
        place.mkdir()
        write_table(place / TABLE, 30)
    process = Process(words, alone)
    assert process.end() == 0, process.stderr()
    seconds = time.monotonic() - process.started
    assert printed(alone)["end"] == "nothing_expected", printed(alone)["end"]
    for num_killed in range(5):
        has_run = (folder / "run" / "run.sqlite").exists()
        process = Process([*words, *(["--resume"] if has_run else [])], folder)
        if num_killed < 4:
            process.sleep(random.uniform(0, seconds / 2))
            process.ask_to_end(signal.SIGKILL)
        code = process.end()
    assert code == 0, process.stderr()
    assert without_times(evaluations(folder)) == without_times(evaluations(alone)), "another history"
    assert printed(folder) == printed(alone), "another result"


def test_long_evaluation_is_cut_short(program, root):
    """One evaluation takes seconds or, with so many starts, an hour: whoever waits for it either stores
    it or is taken for hanging."""
    folder = root / "long"
    folder.mkdir()
    words = [program, "search", TABLE, "--target", "y", "--out", "run", "--force"]
    for number, num_rows, options in ((signal.SIGINT, 1200, ["--restarts", "100"]),
                                      (signal.SIGTERM, 600, ["--preset", "paper", "--restarts", "9999"])):
        write_table(folder / TABLE, num_rows)
        process = Process([*words, *options], folder)
        assert process.wait_for("evaluations to do"), process.stderr()
        process.sleep(0.5)
        assert process.is_running(), process.stderr()
        process.ask_to_end(number)
        asked = time.monotonic()
        code = process.end()
        print(f"{num_rows} rows: ended {time.monotonic() - asked:.2f} s after {number.name}")
        assert code == 128 + number and evaluations(folder) == {}, (code, process.stderr())
        assert "--force" not in check_end(process, code)


def killed_between_model_and_facts(start):
    """Somebody reads the run while the last words are to be written: the model is there already, and the
    facts wait. None if it was too fast for that."""
    process = start()
    run = process.folder / "run"
    before = (run / "model.json").read_bytes()
    if process.wait_for("once more"):
        with contextlib.closing(sqlite3.connect((run / "run.sqlite").as_uri() + "?mode=ro", uri=True)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM evaluation").fetchone()
            while process.is_running() and (run / "model.json").read_bytes() == before:
                time.sleep(0.001)
            process.ask_to_end(signal.SIGKILL)
            process.end()
    return process if process.end() == -signal.SIGKILL else None


def report(program, folder):
    return subprocess.run([program, "report", "run", "--json"], cwd=folder, check=False, capture_output=True,
                          text=True)


def test_model_and_facts_are_one_step(program, root):
    """A run that ended, went on and died between its new model and the facts about it never tells the old
    value of the new kernel."""
    folder, ended = root / "between", root / "ended"
    folder.mkdir()
    write_table(folder / TABLE, 60)
    words = [program, "search", TABLE]
    assert Process([*words, *FEWER, "1"], folder).end() == 0
    first = json.loads(report(program, folder).stdout)
    shutil.copytree(folder, ended)
    for _ in range(20):
        if killed_between_model_and_facts(lambda: Process([*words, *OPTIONS, "--resume"], folder)):
            break
        shutil.rmtree(folder)
        shutil.copytree(ended, folder)
    else:
        raise AssertionError("no search was caught between its model and its facts")
    assert (folder / "run/model.json").read_bytes() != (ended / "run/model.json").read_bytes()
    told = report(program, folder)
    assert told.returncode == 65 and told.stdout == "", told.stdout[:200]
    assert told.stderr.rstrip().endswith("go on with the run with covary search --resume"), told.stderr
    process = Process([*words, *OPTIONS, "--resume"], folder)
    assert process.end() == 0, process.stderr()
    last, result = json.loads(report(program, folder).stdout), printed(folder)
    assert (last["kernel"], last["value"]) == (result["kernel"], result["value"])
    assert last["value"] != first["value"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--deaths", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(10 ** 6))
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    tally = Tally(arguments.deaths)
    try:
        with tempfile.TemporaryDirectory() as root:
            test_long_evaluation_is_cut_short(arguments.program, Path(root))
            test_model_and_facts_are_one_step(arguments.program, Path(root))
            test_open_end_after_deaths(arguments.program, Path(root))
            test_deaths(arguments.program, Path(root), tally)
    finally:
        print(f"--seed {arguments.seed}: {tally}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
