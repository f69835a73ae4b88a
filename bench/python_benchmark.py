#!/usr/bin/env python3
"""Ratios of the Python package, each measured in one run:

  the CPU time of fit() over that of `covary search`, on airline with one thread;
  the wall-clock time of a search by one worker process over that by two, on a Dask cluster;
  and the seconds from Ctrl-C to the end of fit(), the longest of five.

usage: bench/python_benchmark.py PROGRAM [--repeats 3] [--data FOLDER]

PROGRAM is the covary program; the package is that of the interpreter. With --data, workers are also
measured on 500 rows of airfoil.csv in that folder, and Ctrl-C on all of concrete.csv.
"""

import argparse
import os
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

airline = Path(__file__).parent.parent / "examples/data/airline.csv"


def program_seconds(program, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "search", airline, "--target=Passengers", "--threads=1", "--quiet"]
    subprocess.run([*command, f"--out={folder}/run"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(f"{folder}/run")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def package_seconds(folder):
    """As the program: searches, keeps the run on disk, and writes the report."""
    import pandas
    from covary import KernelSearchRegressor

    table = pandas.read_csv(airline)
    begin = time.process_time()
    model = KernelSearchRegressor(threads=1, quiet=True, out=f"{folder}/run")
    model.fit(table[["Month"]], table["Passengers"])
    fitted = time.process_time() - begin
    model.report(f"{folder}/report.html")
    shutil.rmtree(f"{folder}/run")
    return fitted, time.process_time() - begin


def worker_seconds(num_workers, X, y, **settings):
    from covary import KernelSearchRegressor
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=num_workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, Client(cluster) as client:
        client.run(__import__, "covary")  # not what is measured
        begin = time.monotonic()
        model = KernelSearchRegressor(quiet=True, deterministic=True, **settings)
        model.fit(X, y, executor=client)
        return time.monotonic() - begin, model.value_


def compare_workers(name, X, y, repeats, **settings):
    ratios = []
    for _ in range(repeats):
        one, value = worker_seconds(1, X, y, **settings)
        two, same = worker_seconds(2, X, y, **settings)
        assert value == same  # the same kernels, so that times can be compared
        ratios.append(one / two)
        print(f"{name}: one worker {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as fast")
    middle = statistics.median(ratios)
    print(f"{name}: two workers are {middle:.2f} times as fast, an efficiency of {middle / 2:.2f}")


def seconds_to_stop(X, y, after):
    """Interrupted at five moments of a search that would take hours."""
    from covary import KernelSearchRegressor

    longest = 0.0
    for times in range(5):
        pressed = []

        def press():
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(after + 0.13 * times, press).start()
        try:
            KernelSearchRegressor(max_evaluations=100_000, quiet=True).fit(X, y)
        except KeyboardInterrupt:
            longest = max(longest, time.monotonic() - pressed[0])
    return longest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data")
    options = parser.parse_args()
    import pandas

    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeats):
            by_program = program_seconds(options.program, folder)
            by_fit, with_report = package_seconds(folder)
            ratios.append(by_fit / by_program)
            print(
                f"airline: covary search {by_program:.2f} CPU s, fit() {by_fit:.2f}, with its report "
                f"{with_report:.2f}: {by_fit / by_program:.3f} and {with_report / by_program:.3f} times"
            )
    print(f"airline: fit() takes {statistics.median(ratios):.3f} times the CPU time of covary search")
    table = pandas.read_csv(airline)
    print(f"airline: fit() ends {seconds_to_stop(table[['Month']], table['Passengers'], 1.0):.2f} s after Ctrl-C")
    compare_workers("airline", table[["Month"]], table["Passengers"], options.repeats)
    if options.data:
        table = pandas.read_csv(os.path.join(options.data, "airfoil.csv")).sample(500, random_state=1)
        X, y = table.drop(columns="sound_pressure"), table["sound_pressure"]
        compare_workers("airfoil", X, y, options.repeats, space="paper-large", max_evaluations=40)
        table = pandas.read_csv(os.path.join(options.data, "concrete.csv"))
        X, y = table.drop(columns="strength"), table["strength"]
        print(f"concrete, {len(y)} rows: fit() ends {seconds_to_stop(X, y, 6.0):.2f} s after Ctrl-C")


if __name__ == "__main__":
    main()
