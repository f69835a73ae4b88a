"""Whoever asks a run to end is answered within seconds, at any moment and any size.

usage: signals.py PROGRAM [--moments N] [--seed N]

Tables of many rows, of many columns, and models of them; the moments are random, and the test prints what it saw.
"""
import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Of the process's own time, so that a busy machine does not count, and of the clock as a hang.
MOST_CPU_SECONDS, MOST_SECONDS = 2.0, 60.0
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def write_table(path, num_rows, num_inputs):
    rows = [",".join(f"x{i}" for i in range(num_inputs)) + ",y"]
    for _ in range(num_rows):
        values = [random.random() for _ in range(num_inputs)]
        rows.append(",".join(f"{value:.4f}" for value in [*values, values[0] + values[-1] * random.random()]))
    path.write_text("\n".join(rows) + "\n")


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(words, folder):
    return subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def asked_to_end(words, folder, after, number):
    """The exit code, and the last line; nothing if it had ended by itself."""
    process = start(words, folder)
    try:
        process.wait(after)
        process.stderr.close()
        return None
    except subprocess.TimeoutExpired:
        pass
    before, asked = cpu_seconds(process), time.monotonic()
    process.send_signal(number)
    try:
        _, told = process.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"{words[1]} of {words[2]} hangs {after:.2f} s from its start") from None
    seconds = time.monotonic() - asked
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = spent.ru_utime + spent.ru_stime - asked_to_end.cpu_of_others - before
    asked_to_end.cpu_of_others = spent.ru_utime + spent.ru_stime
    print(f"{words[1]} {words[2]}: {signal.Signals(number).name} after {after:.2f} s, "
          f"{seconds:.2f} s to its end, {cpu:.2f} of the processor", flush=True)
    threads = 2.0  # at the most
    assert cpu < threads * MOST_CPU_SECONDS, (words, after)
    return process.returncode, (told.splitlines() or [""])[-1]


asked_to_end.cpu_of_others = 0.0


def test_every_moment(program, folder, moments):
    write_table(folder / "long.csv", 20_000, 5)
    write_table(folder / "wide.csv", 20, 10_000)
    search = ["--target", "y", "--out", "run", "--force", "--quiet", "--threads", "2"]
    kinds = [[program, "search", "long.csv", *search], [program, "search", "wide.csv", *search],
             [program, "evaluate", "long.csv", "--target", "y", "--kernel", "SE(x0)+LIN(x1)", "--quiet"],
             [program, "describe", "wide.csv", "--target", "y"]]
    for moment in range(moments):
        words = kinds[moment % len(kinds)]
        number = random.choice(list(SIGNALS))
        answer = asked_to_end(words, folder, random.uniform(0.05, 6.0), number)
        if answer is None:
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
            asked_to_end.cpu_of_others = spent.ru_utime + spent.ru_stime
            continue
        code, line = answer
        assert code in (SIGNALS[number], -number), (words, code, line)  # -: nothing was there to keep yet
        if code == SIGNALS[number]:
            assert line.startswith("covary: interrupted"), line


def test_second_signal(program, folder):
    """It does not wait for what the first one asked for."""
    write_table(folder / "t.csv", 2000, 2)
    for _ in range(10):
        process = start([program, "search", "t.csv", "--target", "y", "--out", "twice", "--force", "--quiet"], folder)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
        was_there = process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=MOST_SECONDS)
        # 130: the first one was answered in between.
        assert process.returncode in (-signal.SIGTERM, 130), process.returncode
        if was_there:
            return
    raise AssertionError("it always ended before there was a second signal")


def test_ignored_hang_up(program, folder):
    process = subprocess.Popen([program, "search", "t.csv", "--target", "y", "--out", "hung", "--quiet"],
                               cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(1.0)
    process.send_signal(signal.SIGHUP)
    time.sleep(1.0)
    assert process.poll() is None, "it took a hang-up that nohup keeps from it"
    process.send_signal(signal.SIGTERM)
    assert process.wait(MOST_SECONDS) == 143, process.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.randrange(10 ** 6))
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    print(f"--seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as name:
        test_every_moment(arguments.program, Path(name), arguments.moments)
        test_second_signal(arguments.program, Path(name))
        test_ignored_hang_up(arguments.program, Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
