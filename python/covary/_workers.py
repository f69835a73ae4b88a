"""Kernels evaluated by other processes and machines.

The driver's search, and its folder where it has one, is the only state: workers are handed a kernel
with the data, and hand back its evaluation. Whoever is lost is replaced by asking somebody else.
"""

from __future__ import annotations

import functools
import os
import pickle
import queue
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from typing import Any, Protocol

from . import _engine
from ._engine import Dataset, Evaluation, SearchResult, SearchTask, SteppedSearch

MAX_REPEATS = 3  # of one kernel whose workers are lost
_POLL_SECONDS = 0.1
_COUNT_WORKERS_EVERY = 2.0

Progress = Callable[[str, int, int, str, "float | None"], None]


@functools.lru_cache(maxsize=4)
def _unpickled(data: bytes) -> Dataset:
    dataset: Dataset = pickle.loads(data)
    return dataset


def evaluate_task(data: bytes, task: SearchTask, version: str) -> Evaluation:
    """What a worker does."""
    if version != _engine.version:
        raise RuntimeError(
            f"this worker has covary {_engine.version} and the search is of {version}; "
            "install the same version everywhere"
        )
    return _engine.evaluate(_unpickled(data), task.kernel, task.options, task.warm_starts)


class Workers(Protocol):
    """What the driver needs of an executor."""

    def submit(self, data: bytes, task: SearchTask) -> Any: ...

    def count(self) -> int: ...

    def check(self) -> None:
        """Raises if nothing can be expected any more."""

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

    def submit(self, data: bytes, task: SearchTask) -> Any:
        try:
            return self._executor.submit(evaluate_task, data, task, _engine.version)
        except BrokenExecutor:
            # A pool of processes breaks as a whole when one is lost, and takes nothing more.
            self._executor = self._replacement()
            self._is_own = True
            return self._executor.submit(evaluate_task, data, task, _engine.version)

    def _replacement(self) -> Executor:
        known = ("max_workers", "mp_context", "initializer", "initargs")
        found = {name: getattr(self._executor, f"_{name}", None) for name in known}
        self.close()
        return type(self._executor)(**{name: value for name, value in found.items() if value})

    def count(self) -> int:
        return getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1

    def check(self) -> None:
        pass

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
        self._client = client
        self._count = 1
        self._counted = 0.0

    def submit(self, data: bytes, task: SearchTask) -> Any:
        key = f"covary-{task.number}-{os.urandom(6).hex()}"
        return self._client.submit(
            evaluate_task, data, task, _engine.version, key=key, pure=False
        )

    def count(self) -> int:
        now = time.monotonic()
        if now - self._counted > _COUNT_WORKERS_EVERY:
            self._count = max(sum(self._client.nthreads().values()), 1)
            self._counted = now
        return self._count

    def check(self) -> None:
        if self._client.status in ("closing", "closed"):
            raise ConnectionError("the Dask client lost its scheduler")

    def is_loss(self, exception: BaseException) -> bool:
        from distributed import CancelledError as Cancelled
        from distributed import KilledWorker

        return isinstance(exception, (KilledWorker, Cancelled, CancelledError))

    def is_worn_out(self, exception: BaseException) -> bool:
        from distributed import KilledWorker

        # Only after the scheduler has tried it again three times (its allowed-failures).
        return isinstance(exception, KilledWorker)

    def cancel(self, futures: list[Any]) -> None:
        if futures and self._client.status == "running":
            self._client.cancel(futures)

    def close(self) -> None:
        pass


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
        self._data = pickle.dumps(data)
        self._num_rows = data.num_rows
        self._workers = workers
        self._progress = progress
        self._done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._under_way: dict[int, tuple[SearchTask, Any]] = {}
        self._num_lost: dict[int, int] = {}
        self._is_finishing = False

    def run(self) -> tuple[SearchResult, BaseException | None]:
        """The result, and what ended the search early, if anything did."""
        exception: BaseException | None = None
        self._progress("starting", self._search.num_planned, 0, "", None)
        for _ in range(self._search.num_recorded):
            self._tell_progress()
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
        try:
            return self._search.result(), exception
        except BaseException:
            if exception is not None:
                raise exception from None
            raise

    def _hand_out(self) -> None:
        # One more than workers, so that none waits while the next kernel is thought of.
        while (task := self._search.ask(self._workers.count() + 1)) is not None:
            if task.is_finalist and not self._is_finishing:
                self._is_finishing = True
                self._progress("finishing", 0, 0, "", None)
            self._submit(task)

    def _submit(self, task: SearchTask) -> None:
        future = self._workers.submit(self._data, task)
        self._under_way[task.number] = (task, future)
        future.add_done_callback(lambda finished: self._done.put((task.number, finished)))

    def _take_in(self) -> None:
        if self._search.is_done:
            return
        try:
            number, future = self._done.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            self._workers.check()
            return
        if number not in self._under_way or self._under_way[number][1] is not future:
            return  # somebody else was asked in the meantime
        task = self._under_way[number][0]
        try:
            evaluation = future.result()
        except BaseException as exception:
            if not self._workers.is_loss(exception):
                raise
            self._try_again(task, exception)
            return
        del self._under_way[number]
        self._search.tell(number, evaluation)
        if not task.is_finalist:
            self._tell_progress()

    def _try_again(self, task: SearchTask, exception: BaseException) -> None:
        times = self._num_lost.get(task.number, 0) + 1
        self._num_lost[task.number] = times
        if times <= MAX_REPEATS and not self._workers.is_worn_out(exception):
            self._submit(task)
            return
        del self._under_way[task.number]
        message = f"workers were lost {MAX_REPEATS + 1} times while they evaluated it"
        self._search.fail(task.number, message)
        if not task.is_finalist:
            self._tell_progress()

    def _tell_progress(self) -> None:
        best = self._search.best
        kernel = str(best[0]) if best is not None else ""
        value = best[1] / self._num_rows if best is not None else None
        self._progress("recorded", 0, 0, kernel, value)
