"""Kernels evaluated by other processes and machines.

The driver's search, and its folder where it has one, is the only state: workers are handed a kernel,
and hand back its evaluation. The rows travel once to every worker, when it asks for them. Whoever is
lost is replaced by asking somebody else.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import queue
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from typing import Any, NamedTuple, Protocol

from . import _engine
from ._dask import DaskCluster, WorkerSilent
from ._engine import Dataset, Evaluation, SearchResult, SearchTask, SteppedSearch

MAX_REPEATS = 3  # of one kernel whose workers are lost
_POLL_SECONDS = 0.1

Progress = Callable[[str, int, int, str, "float | None"], None]


class Rows(NamedTuple):
    """The data of a search: their name, and themselves only for a worker that has asked for them."""

    key: str
    pickled: bytes | None = None


class RowsWanted(NamedTuple):
    """The answer of a worker that has not seen the rows yet."""

    worker: str | None  # how to reach it, where the executor can


class _RowsHere:
    """The rows that this process has seen, for the latest few searches."""

    _MOST = 4

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Dataset] = OrderedDict()

    def put(self, key: str, data: Dataset) -> None:
        with self._lock:
            self._kept[key] = data
            if len(self._kept) > self._MOST:
                self._kept.popitem(last=False)

    def forget(self, key: str) -> None:
        with self._lock:
            self._kept.pop(key, None)

    def find(self, rows: Rows) -> Dataset | None:
        with self._lock:
            if rows.key in self._kept:
                self._kept.move_to_end(rows.key)
                return self._kept[rows.key]
        if rows.pickled is None:
            return None
        data: Dataset = pickle.loads(rows.pickled)
        self.put(rows.key, data)
        return data


_rows_here = _RowsHere()
if hasattr(os, "register_at_fork"):  # a lock that another thread held would be held for ever
    os.register_at_fork(after_in_child=lambda: setattr(_rows_here, "_lock", threading.Lock()))


def _own_address() -> str | None:
    """Of this worker, if it is one of Dask."""
    distributed = sys.modules.get("distributed")
    try:
        return None if distributed is None else str(distributed.get_worker().address)
    except (AttributeError, ValueError):
        return None


def evaluate_task(rows: Rows, task: SearchTask, version: str) -> Evaluation | RowsWanted:
    """What a worker does."""
    if version != _engine.version:
        raise RuntimeError(
            f"this worker has covary {_engine.version} and the search is of {version}; "
            "install the same version everywhere"
        )
    data = _rows_here.find(rows)
    if data is None:
        return RowsWanted(_own_address())
    return _engine.evaluate(data, task.kernel, task.options, task.warm_starts)


class Workers(Protocol):
    """What the driver needs of an executor."""

    def submit(self, rows: Rows, task: SearchTask, worker: str | None = None) -> Any:
        """Hands out a task, to this worker if it is there."""

    def result(self, future: Any) -> Any:
        """Of a future that is done."""

    def count(self) -> int: ...

    def check(self) -> None:
        """Raises if nothing can be expected any more."""

    def stalled(self, futures: Mapping[int, Any]) -> list[int]:
        """Those whose worker says nothing any more, or that have none and will get none."""

    def is_loss(self, exception: BaseException) -> bool:
        """Whether a worker was lost, and the kernel is worth another try."""

    def is_worn_out(self, exception: BaseException) -> bool:
        """Whether it has been tried often enough already."""

    def cancel(self, futures: list[Any]) -> None: ...

    def close(self) -> None: ...


class _PoolWorkers:
    """Any executor of concurrent.futures."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._is_own = False

    def submit(self, rows: Rows, task: SearchTask, worker: str | None = None) -> Any:
        try:
            return self._executor.submit(evaluate_task, rows, task, _engine.version)
        except BrokenExecutor:
            # A pool of processes breaks as a whole when one is lost, and takes nothing more.
            self._executor = self._replacement()
            self._is_own = True
            return self._executor.submit(evaluate_task, rows, task, _engine.version)

    def result(self, future: Any) -> Any:
        return future.result()

    def _replacement(self) -> Executor:
        known = ("max_workers", "mp_context", "initializer", "initargs")
        found = {name: getattr(self._executor, f"_{name}", None) for name in known}
        self.close()
        return type(self._executor)(**{name: value for name, value in found.items() if value})

    def count(self) -> int:
        return getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1

    def check(self) -> None:
        pass

    def stalled(self, futures: Mapping[int, Any]) -> list[int]:
        return []  # nobody can tell

    def is_loss(self, exception: BaseException) -> bool:
        return isinstance(exception, (BrokenExecutor, CancelledError))

    def is_worn_out(self, exception: BaseException) -> bool:
        return False

    def cancel(self, futures: list[Any]) -> None:
        for future in futures:
            future.cancel()

    def close(self) -> None:
        if self._is_own:
            self._executor.shutdown(wait=False, cancel_futures=True)


class _DaskWorkers:
    """A Client of dask.distributed. Its scheduler gives a lost worker's task to another one."""

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise ValueError("executor is an asynchronous Dask client; give a synchronous one")
        self._cluster = DaskCluster(client)

    def submit(self, rows: Rows, task: SearchTask, worker: str | None = None) -> Any:
        key = f"covary-{task.number}-{os.urandom(6).hex()}"
        return self._cluster.submit(key, worker, evaluate_task, rows, task, _engine.version)

    def result(self, future: Any) -> Any:
        return self._cluster.result(future)

    def count(self) -> int:
        return max(self._cluster.num_threads(), 1)

    def check(self) -> None:
        self._cluster.check()

    def stalled(self, futures: Mapping[int, Any]) -> list[int]:
        pending = {future.key for future in futures.values() if not future.done()}
        keys = self._cluster.keys_of_silent_workers() | self._cluster.forgotten(pending)
        return [number for number, future in futures.items() if future.key in keys]

    def is_loss(self, exception: BaseException) -> bool:
        from distributed import CancelledError as Cancelled
        from distributed import KilledWorker

        return isinstance(exception, (KilledWorker, Cancelled, CancelledError, WorkerSilent))

    def is_worn_out(self, exception: BaseException) -> bool:
        from distributed import KilledWorker

        # Only after the scheduler has tried it again three times (its allowed-failures).
        return isinstance(exception, KilledWorker)

    def cancel(self, futures: list[Any]) -> None:
        self._cluster.cancel(futures)

    def close(self) -> None:
        self._cluster.close()


def workers_of(executor: Any) -> Workers:
    if isinstance(executor, Executor):
        return _PoolWorkers(executor)
    if hasattr(executor, "nthreads") and hasattr(executor, "submit"):
        return _DaskWorkers(executor)
    raise TypeError(
        "executor must be an executor of concurrent.futures or a Client of dask.distributed, "
        f"not {type(executor).__name__}"
    )


class Driver:
    """Keeps workers busy with a search's kernels until it is done."""

    def __init__(self, search: SteppedSearch, data: Dataset, workers: Workers, progress: Progress) -> None:
        self._search = search
        pickled = pickle.dumps(data)
        self._rows = Rows(hashlib.blake2b(pickled, digest_size=16).hexdigest())
        self._rows_in_full = Rows(self._rows.key, pickled)
        self._data = data
        self._num_rows = data.num_rows
        self._workers = workers
        self._progress = progress
        self._done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._under_way: dict[int, tuple[SearchTask, Any]] = {}
        self._num_lost: dict[int, int] = {}
        self._bringing: dict[str, int] = {}  # the task that takes the rows to a worker
        # Lost in company: the kernel may be the reason or a bystander. Each is tried again alone.
        self._suspects: list[SearchTask] = []
        self._alone: int | None = None
        self._is_finishing = False

    def run(self) -> tuple[SearchResult, BaseException | None]:
        """The result, and what ended the search early, if anything did."""
        exception: BaseException | None = None
        self._progress("starting", self._search.num_planned, 0, "", None)
        for _ in range(self._search.num_recorded):
            self._tell_progress()
        _rows_here.put(self._rows.key, self._data)  # for threads of this process, and its forks
        try:
            while not self._search.is_done:
                self._hand_out()
                self._take_in()
        except BaseException as caught:  # what is finished is kept, whatever it was
            exception = caught
            self._search.stop()
        finally:
            self._workers.cancel([future for _, future in self._under_way.values()])
            self._workers.close()
            _rows_here.forget(self._rows.key)
        try:
            return self._search.result(), exception
        except BaseException:
            if exception is not None:
                raise exception from None
            raise

    def _hand_out(self) -> None:
        if self._suspects:
            if not self._under_way:
                suspect = self._suspects.pop(0)
                self._alone = suspect.number
                self._submit(suspect)
            return
        if self._alone is not None:
            return
        # One more than workers, so that none waits while the next kernel is thought of.
        while (task := self._search.ask(self._workers.count() + 1)) is not None:
            if task.is_finalist and not self._is_finishing:
                self._is_finishing = True
                self._progress("finishing", 0, 0, "", None)
            self._submit(task)

    def _submit(self, task: SearchTask, wanted: RowsWanted | None = None) -> None:
        rows, worker = self._rows, wanted.worker if wanted is not None else None
        if wanted is not None and (worker is None or worker not in self._bringing):
            rows = self._rows_in_full
            if worker is not None:
                self._bringing[worker] = task.number
        future = self._workers.submit(rows, task, worker)
        self._under_way[task.number] = (task, future)
        future.add_done_callback(lambda finished: self._done.put((task.number, finished)))

    def _take_in(self) -> None:
        if self._search.is_done:
            return
        try:
            number, future = self._done.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            self._workers.check()
            for stalled in self._workers.stalled({key: pair[1] for key, pair in self._under_way.items()}):
                task, future = self._under_way[stalled]
                self._workers.cancel([future])
                self._try_again(task, WorkerSilent())
            return
        if number not in self._under_way or self._under_way[number][1] is not future:
            return  # somebody else was asked in the meantime
        task = self._under_way[number][0]
        self._arrived(number)
        try:
            answer = self._workers.result(future)
        except BaseException as exception:
            if not self._workers.is_loss(exception):
                raise
            self._try_again(task, exception)
            return
        if isinstance(answer, RowsWanted):
            self._submit(task, answer)
            return
        self._settle(task)
        self._search.tell(number, answer)
        if not task.is_finalist:
            self._tell_progress()

    def _arrived(self, number: int) -> None:
        """Rows that it took to a worker are there by now, or lost with it."""
        self._bringing = {worker: task for worker, task in self._bringing.items() if task != number}

    def _settle(self, task: SearchTask) -> None:
        """Nothing more is expected of it."""
        self._arrived(task.number)
        del self._under_way[task.number]
        if self._alone == task.number:
            self._alone = None

    def _try_again(self, task: SearchTask, exception: BaseException) -> None:
        times = self._num_lost.get(task.number, 0) + 1
        self._num_lost[task.number] = times
        was_alone = self._alone == task.number
        self._settle(task)
        if not was_alone or not (times > MAX_REPEATS or self._workers.is_worn_out(exception)):
            self._suspects.insert(0, task)
            return
        message = (
            f"every worker that evaluated {task.kernel} was lost, the last one while it evaluated nothing "
            "else; it may need more memory than a worker has"
        )
        self._search.fail(task.number, message)
        if not task.is_finalist:
            self._tell_progress()

    def _tell_progress(self) -> None:
        best = self._search.best
        kernel = str(best[0]) if best is not None else ""
        value = best[1] / self._num_rows if best is not None else None
        self._progress("recorded", 0, 0, kernel, value)
