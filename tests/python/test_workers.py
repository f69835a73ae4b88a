"""Searches whose kernels are evaluated by other processes: pools, and a real Dask cluster."""

import os
import pickle
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import Future, Executor, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import covary
from covary import KernelSearchRegressor, _dask, _engine, _workers

quick = dict(max_evaluations=16, restarts=2, finalists=2, quiet=True)


def some_data(num_rows=60):
    x = np.linspace(0, 5, num_rows)
    y = 0.4 * x + np.sin(6 * x) + 0.1 * np.cos(50 * x**2)
    return x[:, None], y


def histories_agree(a, b):
    same = ["kernel", "value", "outcome", "is_initial", "predicted_mean"]
    return a.history_[same].equals(b.history_[same]) and a.kernel_ == b.kernel_ and a.value_ == b.value_


@pytest.fixture(scope="module")
def client():
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    # A local cluster gives a worker up that was not there for 15 s, and one that dies again and again
    # on a busy machine may not be there when it looks.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}):
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        with cluster, distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def local():
    return KernelSearchRegressor(**quick, deterministic=True).fit(*some_data())


@pytest.mark.parametrize("num_workers", [1, 2, 5])
def test_deterministic_threads_find_what_a_local_search_finds(local, num_workers):
    with ThreadPoolExecutor(num_workers) as pool:
        model = KernelSearchRegressor(**quick, deterministic=True).fit(*some_data(), executor=pool)
    assert histories_agree(model, local)


def test_deterministic_processes_find_what_a_local_search_finds(local):
    with ProcessPoolExecutor(2) as pool:
        model = KernelSearchRegressor(**quick, deterministic=True).fit(*some_data(), executor=pool)
    assert histories_agree(model, local)


def test_deterministic_dask_finds_what_a_local_search_finds(local, client):
    model = KernelSearchRegressor(**quick, deterministic=True).fit(*some_data(), executor=client)
    assert histories_agree(model, local)


def test_results_are_taken_as_they_come():
    """A kernel that takes for ever does not keep the others from being learnt from."""
    release = threading.Event()
    first = []

    class SlowFirst(Executor):
        _max_workers = 2

        def __init__(self):
            self.pool = ThreadPoolExecutor(2)

        def submit(self, function, data, task, version):
            def work():
                if task.number == 0:
                    first.append(task)
                    release.wait(60)
                if task.number == 12:
                    release.set()  # twelve others were proposed in the meantime
                return function(data, task, version)

            return self.pool.submit(work)

    slow = SlowFirst()
    model = KernelSearchRegressor(**quick).fit(*some_data(), executor=slow)
    slow.pool.shutdown()
    assert first and release.is_set()
    assert len(model.history_) == 16
    assert list(model.history_.index) == list(range(16))
    assert model.history_.wall_seconds[0] > model.history_.wall_seconds[5]


def test_proposals_know_what_is_under_way(client):
    model = KernelSearchRegressor(**quick).fit(*some_data(), executor=client)
    kernels = [covary.Expression(text, ["x0"]) for text in model.history_.kernel]
    assert not any(a.same_tree(b) for i, a in enumerate(kernels) for b in kernels[:i])


def test_a_killed_dask_worker_costs_nothing_but_time(client):
    """One of two processes is killed in the middle of its work; the cluster's nanny starts another."""
    X, y = some_data(300)
    settings = dict(max_evaluations=14, restarts=6, finalists=2, quiet=True, deterministic=True)
    undisturbed = KernelSearchRegressor(**settings).fit(X, y)
    killed = []

    def kill_one():
        killed.append(busy_worker(client))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    model = KernelSearchRegressor(**settings).fit(X, y, executor=client)
    killer.join()
    assert killed
    assert histories_agree(model, undisturbed)
    assert model.search_result_.failed_evaluations == undisturbed.search_result_.failed_evaluations


# ---- What travels ----------------------------------------------------------------------------------


def test_a_task_of_a_large_table_is_small():
    random = np.random.default_rng(1)
    X = random.normal(size=(100_000, 10))
    data = covary.make_dataset(X, X[:, 0] + random.normal(size=100_000))
    sent = []

    class Measuring(Executor):
        _max_workers = 2

        def submit(self, function, *arguments):
            sent.append(len(pickle.dumps((function, *arguments))))
            raise StopSending

    class StopSending(Exception):
        pass

    search = _engine.SteppedSearch(data, _engine.SearchOptions("default", [("max_evaluations", "8")]))
    workers = _workers.workers_of(Measuring())
    result = _workers.Driver(search, data, workers, lambda *_: None)
    with pytest.raises((StopSending, ValueError)):
        result.run()
    assert len(sent) == 1
    assert sent[0] < 5_000
    assert len(result._rows_in_full.pickled) > 8_000_000


def pickled_sizes(client, monkeypatch):
    cloudpickle = pytest.importorskip("cloudpickle")
    sizes = []
    honest = client.submit

    def measured(function, *arguments, **options):
        sizes.append(len(cloudpickle.dumps((function, arguments))))
        return honest(function, *arguments, **options)

    monkeypatch.setattr(client, "submit", measured)
    return sizes


@pytest.mark.filterwarnings("error:Sending large graph")
def test_rows_go_to_each_dask_worker_once(client, monkeypatch):
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 6))
    y = np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=300)
    settings = dict(quick, space="SE", deterministic=True, max_evaluations=8, restarts=1, ensemble=1)
    sizes = pickled_sizes(client, monkeypatch)
    model = KernelSearchRegressor(**settings).fit(X, y, executor=client)
    num_large = sum(size > 300 * 7 * 8 for size in sizes)
    assert 1 <= num_large <= 2  # workers
    assert max(size for size in sizes if size <= 300 * 7 * 8) < 5_000
    assert len(sizes) >= 8 + num_large
    assert histories_agree(model, KernelSearchRegressor(**settings).fit(X, y))


def test_two_workers_agree_with_none_on_every_rung(client):
    """Kernels are first compared on some of the rows, which a worker chooses for itself."""
    random = np.random.default_rng(1)
    x = np.sort(random.uniform(0, 5, 800))
    y = np.sin(3 * x) + 0.1 * random.normal(size=800)
    settings = dict(quick, space="SE", deterministic=True, max_evaluations=5, restarts=1, ensemble=1)
    alone = KernelSearchRegressor(**settings).fit(x[:, None], y)
    together = KernelSearchRegressor(**settings).fit(x[:, None], y, executor=client)
    assert alone.history_.rows.nunique() > 1
    assert histories_agree(together, alone)


# ---- Workers that are lost -------------------------------------------------------------------------


def busy_worker(client):
    """The process of a worker that has something to do."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        busy = [address for address, tasks in client.processing().items() if tasks]
        if busy:
            time.sleep(0.1)
            return client.run(os.getpid, workers=[busy[0]])[busy[0]]
        time.sleep(0.01)
    raise AssertionError("no worker has anything to do")


def test_a_stopped_dask_worker_is_not_waited_for(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_dask, "SILENT_SECONDS", 4.0)
    X, y = some_data(300)
    settings = dict(max_evaluations=14, restarts=6, finalists=2, quiet=True, deterministic=True)
    undisturbed = KernelSearchRegressor(**settings).fit(X, y)
    stopped = []
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:

        def stop_one():
            stopped.append(busy_worker(client))
            os.kill(stopped[0], signal.SIGSTOP)

        stopper = threading.Thread(target=stop_one)
        stopper.start()
        try:
            model = KernelSearchRegressor(**settings).fit(X, y, executor=client)
        finally:
            stopper.join()
            os.kill(stopped[0], signal.SIGCONT)
    assert histories_agree(model, undisturbed)
    assert model.search_result_.failed_evaluations == undisturbed.search_result_.failed_evaluations


class Cable:
    """A connection to a port of this machine that can be cut without either side being told."""

    def __init__(self, port):
        self.is_cut = threading.Event()
        self.target = port
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.server.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(a, b), daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                if self.is_cut.is_set():
                    threading.Event().wait(600)  # neither an answer nor an end
                sink.sendall(data)
        except OSError:
            pass
        finally:
            source.close()
            sink.close()


def test_a_dask_worker_out_of_reach_is_not_waited_for(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_dask, "SILENT_SECONDS", 4.0)
    X, y = some_data(300)
    settings = dict(max_evaluations=14, restarts=6, finalists=2, quiet=True, deterministic=True)
    undisturbed = KernelSearchRegressor(**settings).fit(X, y)
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        cable = Cable(int(cluster.scheduler_address.rpartition(":")[2]))
        command = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{cable.port}"]
        far = subprocess.Popen(
            [*command, "--nthreads=1", "--no-nanny", "--name=far", "--no-dashboard"],
            stderr=subprocess.DEVNULL,
        )
        try:
            client.wait_for_workers(2, timeout=60)

            def cut():
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline and not cable.is_cut.is_set():
                    workers = client.scheduler_info(n_workers=-1)["workers"]
                    of_far = [address for address, facts in workers.items() if facts["name"] == "far"]
                    if of_far and client.processing().get(of_far[0]):
                        cable.is_cut.set()
                    time.sleep(0.02)

            cutter = threading.Thread(target=cut)
            cutter.start()
            model = KernelSearchRegressor(**settings).fit(X, y, executor=client)
            cutter.join()
        finally:
            far.kill()
            far.wait()
    assert cable.is_cut.is_set()
    assert histories_agree(model, undisturbed)


def test_a_task_that_the_scheduler_forgets_is_noticed(monkeypatch):
    """The worker that it was meant for is lost with all others, and those that come get it never."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_dask, "FORGOTTEN_SECONDS", 2.0)
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        workers = _dask.DaskCluster(client)
        (lost,) = client.nthreads()
        cluster.scale(0)
        wait_until(lambda: not client.nthreads())
        wished = workers.submit("covary-wished", lost, abs, -1)
        free = workers.submit("covary-free", None, abs, -2)
        cluster.scale(1)
        assert free.result(timeout=60) == 2
        assert workers.forgotten({free.key}) == set()
        # Where Dask has learnt to remember it, it is done.
        wait_until(lambda: wished.done() or workers.forgotten({wished.key}) == {wished.key})
        slow = [client.submit(time.sleep, 4, key="covary-slow"), client.submit(abs, -3, key="covary-behind")]
        wait_until(lambda: slow[0].done() or workers.forgotten({slow[1].key}))
        assert slow[0].done()  # what waits behind another task is not forgotten
        workers.close()


def wait_until(is_true, seconds=60):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_cluster_without_workers_is_given_up(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_dask, "NO_WORKER_SECONDS", 2.0)
    cluster = distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        with pytest.raises(ConnectionError, match="no worker of the Dask scheduler .* for 2 seconds; start"):
            KernelSearchRegressor(**quick).fit(*some_data(), executor=client)


def test_a_stopped_scheduler_is_not_waited_for(monkeypatch, tmp_path):
    distributed = pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port=0", "--no-dashboard"]
    scheduler = subprocess.Popen([*command, f"--scheduler-file={file}"], stderr=subprocess.DEVNULL)
    worker = None
    try:
        client = distributed.Client(scheduler_file=str(file), timeout=60)
        command = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads=1", "--no-nanny"]
        worker = subprocess.Popen(
            [*command, "--no-dashboard", f"--scheduler-file={file}"], stderr=subprocess.DEVNULL
        )
        client.wait_for_workers(1, timeout=60)

        def stop():
            while num_stored(tmp_path / "run") < 3:
                time.sleep(0.01)
            os.kill(scheduler.pid, signal.SIGSTOP)
            monkeypatch.setattr(_dask, "SILENT_SECONDS", 4.0)  # not before: machines are slow at first

        threading.Thread(target=stop, daemon=True).start()
        model = KernelSearchRegressor(max_evaluations=500, quiet=True, out=tmp_path / "run")
        with pytest.raises(ConnectionError, match="scheduler .* has not answered for 4 seconds"):
            model.fit(*some_data(), executor=client)
        assert 3 <= len(model.history_) < 500  # what is finished is kept
    finally:
        scheduler.kill()
        scheduler.wait()
        if worker is not None:
            worker.kill()
            worker.wait()
        client.close(timeout=5)


def test_a_kernel_that_kills_every_dask_worker_is_the_only_one_that_fails(client, monkeypatch, tmp_path):
    cloudpickle = pytest.importorskip("cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    deaths = str(tmp_path / "deaths")

    def deadly(rows, task, version):
        if task.number == 3:
            with open(deaths, "a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        from covary._workers import evaluate_task

        return evaluate_task(rows, task, version)

    monkeypatch.setattr(_workers, "evaluate_task", deadly)
    model = KernelSearchRegressor(**quick).fit(*some_data(), executor=client)
    # By Dask's scheduler as often, beside other kernels and once more alone.
    with open(deaths) as file:
        assert len(file.read()) == 2 * (1 + _workers.MAX_REPEATS)
    assert_only_failed_is(model, 3)


def assert_only_failed_is(model, *numbers):
    history = model.history_
    assert history.value.isna().tolist() == [number in numbers for number in range(len(history))]
    for number in numbers:
        assert "lost" in history.message[number]
        assert history.kernel[number] in history.message[number]


def kill_worker_once(path, function, *arguments):
    """The first worker to come by dies, as of a lack of memory."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return function(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)


class DeadlyPool(ProcessPoolExecutor):
    path = ""

    def submit(self, function, *arguments):
        return super().submit(kill_worker_once, DeadlyPool.path, function, *arguments)


def test_a_broken_pool_is_replaced(local, tmp_path):
    DeadlyPool.path = str(tmp_path / "died")
    with DeadlyPool(2) as pool:
        model = KernelSearchRegressor(**quick, deterministic=True).fit(*some_data(), executor=pool)
    assert os.path.exists(DeadlyPool.path)
    assert histories_agree(model, local)


def kill_worker_of(number, path, function, rows, task, version):
    if task.number != number:
        return function(rows, task, version)
    with open(path, "a") as file:
        file.write("x")
    os.kill(os.getpid(), signal.SIGKILL)


class PoolWithDeadlyKernel(ProcessPoolExecutor):
    path = ""

    def submit(self, function, *arguments):
        return super().submit(kill_worker_of, 3, PoolWithDeadlyKernel.path, function, *arguments)


def test_a_kernel_that_kills_every_process_is_the_only_one_that_fails(tmp_path):
    """A pool breaks as a whole, so that the kernels beside it are lost with it: they are no suspects for long."""
    PoolWithDeadlyKernel.path = str(tmp_path / "deaths")
    with PoolWithDeadlyKernel(2) as pool:
        model = KernelSearchRegressor(**quick).fit(*some_data(), executor=pool)
    with open(PoolWithDeadlyKernel.path) as file:
        assert len(file.read()) == 1 + _workers.MAX_REPEATS
    assert_only_failed_is(model, 3)


class Losing(Executor):
    """Loses every worker that is given one of some kernels."""

    _max_workers = 1

    def __init__(self, lost):
        self.lost = lost
        self.times = {}

    def submit(self, function, data, task, version):
        future = Future()
        self.times[task.number] = self.times.get(task.number, 0) + 1
        if task.number in self.lost:
            future.set_exception(_workers.BrokenExecutor("gone"))
        else:
            future.set_result(function(data, task, version))
        return future


def test_a_kernel_that_loses_all_its_workers_is_tried_four_times_and_counted_as_failed():
    workers = Losing(lost={3, 9})
    model = KernelSearchRegressor(**quick).fit(*some_data(), executor=workers)
    assert workers.times[3] == workers.times[9] == 1 + _workers.MAX_REPEATS
    assert all(times == 1 for number, times in workers.times.items() if number not in (3, 9))
    assert model.search_result_.failed_evaluations == 2
    assert_only_failed_is(model, 3, 9)


def test_an_error_of_a_worker_is_raised_and_what_is_finished_is_kept():
    class Failing(Losing):
        def submit(self, function, data, task, version):
            if task.number < 8:
                return super().submit(function, data, task, version)
            future = Future()
            future.set_exception(MemoryError("too little memory"))
            return future

    model = KernelSearchRegressor(**quick)
    with pytest.raises(MemoryError, match="too little memory"):
        model.fit(*some_data(), executor=Failing(lost=()))
    assert len(model.history_) == 8
    assert model.predict(some_data()[0]).shape == (60,)


def test_a_worker_of_another_version_is_refused():
    task = covary.Search(covary.make_dataset(*some_data()), max_evaluations=3).ask()
    with pytest.raises(RuntimeError, match="install the same version everywhere"):
        _workers.evaluate_task(_workers.Rows("some"), task, "0.0.0")


def test_what_is_no_executor_is_named():
    with pytest.raises(TypeError, match="not str"):
        KernelSearchRegressor(**quick).fit(*some_data(), executor="four")


def test_a_time_limit_does_not_wait_for_workers():
    class Endless(Losing):
        def submit(self, function, data, task, version):
            return Future() if task.number >= 4 else super().submit(function, data, task, version)

    model = KernelSearchRegressor(**{**quick, "time_limit": 2.0})
    model.fit(*some_data(), executor=Endless(lost=()))  # some of which never answer
    assert len(model.history_) == 4
    assert model.search_result_.end == "time_limit"


driver = textwrap.dedent(
    """
    import sys, time
    from concurrent.futures import ProcessPoolExecutor
    sys.path.insert(0, {here!r})
    from test_workers import KernelSearchRegressor, quick, some_data
    if __name__ == "__main__":
        model = KernelSearchRegressor(**quick, out={out!r}, resume={resume}, deterministic={deterministic})
        with ProcessPoolExecutor(2) as pool:
            model.fit(*some_data(), executor=pool)
        print(model.kernel_, model.value_)
    """
)


def run_driver(folder, resume, deterministic, **options):
    here = os.path.dirname(os.path.abspath(__file__))
    script = driver.format(here=here, out=str(folder), resume=resume, deterministic=deterministic)
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True, **options
    )


def num_stored(folder):
    import sqlite3

    try:
        with sqlite3.connect(f"file:{folder}/run.sqlite?mode=ro", uri=True) as database:
            return database.execute("select count(*) from evaluation").fetchone()[0]
    except sqlite3.Error:
        return 0


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_dead_drivers_search_goes_on(local, tmp_path, deterministic):
    folder = tmp_path / "run"
    process = run_driver(folder, False, deterministic)
    deadline = time.monotonic() + 60
    while num_stored(folder) < 5 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = num_stored(folder)
    assert done >= 5
    resumed = run_driver(folder, True, deterministic)
    output, _ = resumed.communicate(timeout=120)
    assert resumed.returncode == 0
    assert num_stored(folder) == 16
    if deterministic:
        assert output.strip() == f"{local.kernel_} {local.value_}"
    assert (folder / "model.json").exists()


def test_ctrl_c_ends_a_search_with_workers(tmp_path):
    X, y = some_data(120)
    model = KernelSearchRegressor(max_evaluations=500, quiet=True, out=tmp_path / "run")
    with ThreadPoolExecutor(2) as pool:
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y, executor=pool)
    assert 0 < len(model.history_) < 300  # of minutes of work
    assert len(model.history_) == num_stored(tmp_path / "run")
