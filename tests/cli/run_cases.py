"""Runs the whole program on the cases of a .test file; tests/cli/README.md tells the format.

usage: run_cases.py PROGRAM FILE.test [--no-memory-check]
"""
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TIMEOUT_SECONDS = 120  # a hang, not a speed limit
SKIP = 77  # the exit code of a python step that cannot be done on this machine


class Case:
    def __init__(self, name, line):
        self.name, self.line = name, line
        self.steps = []  # (word, argument, line number, text lines)


def read_cases(path):
    cases = [Case("", 0)]  # the first holds what is written before any case, for all of them
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("|"):
            cases[-1].steps[-1][3].append(line[2:])
        elif line.strip() and not line.startswith("#"):
            word, _, argument = line.strip().partition(" ")
            argument = argument.strip()
            if word == "case":
                cases.append(Case(argument, number))
            else:
                cases[-1].steps.append((word, argument, number, []))
    for case in cases[1:]:
        case.steps = cases[0].steps + case.steps
    return cases[1:]


def write_file(folder, word, argument, lines):
    text = "".join(line + "\n" for line in lines)
    if word == "file":
        data = text.encode()
    else:  # bytes: the escapes of Python, and no newline that is not written
        data = "".join(lines).encode().decode("unicode_escape").encode("latin-1")
    (folder / argument).write_bytes(data)


def run(program, command, folder, environment, later, address_space):
    """`later`: a signal and the seconds after which to send it, or nothing; `address_space`: bytes, or nothing."""
    programs = {"covary": program, "covary-paper": program + "-paper"}
    words = [programs.get(w, w) for w in shlex.split(command)]
    if any(w in ("|", "<", ">", "&&") for w in words):
        words = ["bash", "-c", re.sub(r"\bcovary\b(?= )", shlex.quote(program), command, count=1)]

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    with open(folder / ".stdout", "wb") as out, open(folder / ".stderr", "wb") as err:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 cwd=folder, env={**os.environ, **environment, "COVARY": program},
                                 preexec_fn=limit if address_space else None)
        started = time.monotonic()
        timers = [threading.Timer(TIMEOUT_SECONDS, child.kill)]
        if later:
            timers.append(threading.Timer(later[1], os.kill, [child.pid, later[0]]))
        for timer in timers:
            timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        for timer in timers:
            timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return {"exit": child.returncode, "megabytes": usage.ru_maxrss / 1024,
            "seconds": time.monotonic() - started - (later[1] if later else 0.0),
            "stdout": (folder / ".stdout").read_bytes().decode("utf-8", "replace"),
            "stderr": (folder / ".stderr").read_bytes().decode("utf-8", "replace")}


def at_path(value, path):
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def complaint_of(word, argument, lines, result):
    """What a check finds wrong, or nothing."""
    if word == "exit":
        return None if result["exit"] == int(argument) else f"exit code {result['exit']}"
    if word in ("stdout", "stderr"):
        actual = result[word].splitlines()
        if lines:
            return None if actual == lines else f"{word} is:\n" + result[word]
        if not argument:
            return None if not actual else f"{word} is not empty:\n" + result[word]
        return None if argument in actual else f"no such line on {word}:\n" + result[word]
    if word in ("stdout~", "stderr~"):
        found = re.search(argument, result[word[:-1]], re.MULTILINE)
        return None if found else f"no match on {word[:-1]}:\n" + result[word[:-1]]
    if word == "json":
        path, _, expected = argument.partition(" ")
        try:
            actual = at_path(json.loads(result["stdout"]), path)
        except (ValueError, LookupError) as error:
            return f"no such JSON on stdout ({error}):\n" + result["stdout"]
        return None if actual == json.loads(expected) else f"{path} is {json.dumps(actual)}"
    if word == "seconds":
        return None if result["seconds"] <= float(argument) else f"{result['seconds']:.2f} s"
    if word == "memory_mb":
        used = result["megabytes"]
        return None if used <= float(argument) else f"{used:.0f} MB used"
    return f"unknown word '{word}'"


def manners(result):
    """What holds for every run: a failure is one plain sentence."""
    if result["exit"] == 0:
        return None
    lines = result["stderr"].splitlines()
    if len(lines) != 1 or not lines[0].startswith("covary: "):
        return "the error is not one line that begins with 'covary: ':\n" + result["stderr"]
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", result["stderr"]):
        return "the error has control characters: " + repr(result["stderr"])
    return "something was printed before the error" if result["stdout"] else None


def run_python(argument, lines, folder):
    return subprocess.run([sys.executable, "-c", "\n".join([argument, *lines])], cwd=folder,
                          stderr=subprocess.PIPE, text=True, check=False)


def place():
    """In memory where there is enough: every evaluation of a search waits for the disk."""
    memory = "/dev/shm"
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < 1_000_000_000:
        return None
    return memory


def run_case(program, case, check_memory):
    result, later, address_space, environment, complaints = None, None, None, {}, []
    with tempfile.TemporaryDirectory(dir=place()) as name:
        folder = Path(name)
        for word, argument, number, lines in case.steps:
            complaint = None
            if word in ("file", "bytes"):
                write_file(folder, word, argument, lines)
            elif word == "python":
                done = run_python(argument, lines, folder)
                if done.returncode == SKIP:
                    break
                complaint = done.stderr if done.returncode else None
            elif word == "env":
                name_, _, environment[name_] = argument.partition("=")
            elif word == "signal":
                sent, _, seconds = argument.partition(" ")
                later = (signal.Signals["SIG" + sent], float(seconds))
            elif word == "address_space_mb":
                if not check_memory:
                    break
                address_space = int(argument) * 1_000_000
            elif word == "run":
                result, later = run(program, argument, folder, environment, later, address_space), None
                complaint = manners(result)
            elif word == "keep":
                shutil.copy(folder / ".stdout", folder / argument)
            elif word not in ("memory_mb", "seconds") or check_memory:
                complaint = complaint_of(word, argument, lines, result)
            if complaint:
                complaints.append(f"line {number}: {word} {argument}\n    {complaint}")
    return complaints


def main():
    program, path = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    check_memory = "--no-memory-check" not in sys.argv
    os.environ["COVARY_TESTS"] = str(Path(__file__).resolve().parent.parent)  # for python steps
    cases = read_cases(path)
    failed = 0
    for case in cases:
        complaints = run_case(program, case, check_memory)
        if complaints:
            failed += 1
            print(f"{path}:{case.line}: {case.name}\n  " + "\n  ".join(complaints))
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
