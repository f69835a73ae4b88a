"""A Dask cluster as the driver of a search needs it: nothing here waits for ever.

Whatever has to be asked of the scheduler is asked in a thread of its own, so that a scheduler that
is stopped or out of reach is noticed and not waited for. Workers are judged by their heartbeats.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

# A worker or a scheduler of which nothing is heard for so long is taken for lost.
SILENT_SECONDS = 60.0
# So long a cluster may be without any worker that answers.
NO_WORKER_SECONDS = 300.0
# So long a task may wait beside a worker that has nothing to do. The scheduler forgets tasks whose
# wished-for worker was lost together with all others, wish or not.
FORGOTTEN_SECONDS = 10.0
_LOOK_SECONDS = 1.0
_LARGEST_GRAPH = "1 TiB"  # the rows of a worker that has asked for them travel with one task


class WorkerSilent(Exception):
    """A worker that nothing is heard of."""


class _Heartbeats:
    """When which worker was last heard of, by the clock of this machine: theirs may differ."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Any, float]] = {}

    def note(self, last_seen: dict[str, Any], addresses: set[str], now: float) -> None:
        for address in addresses:
            seen = last_seen.get(address)
            known = self._last.get(address)
            if known is None or (seen is not None and seen != known[0]):
                self._last[address] = (seen, now)
        for address in set(self._last) - addresses:
            del self._last[address]

    def silent(self, now: float) -> set[str]:
        return {address for address, (_, heard) in self._last.items() if now - heard > SILENT_SECONDS}


class DaskCluster:
    """Scheduler and workers behind a synchronous Client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._beats = _Heartbeats()
        self._num_threads: dict[str, int] = {}  # of workers that answer
        self._silent: set[str] = set()
        self._keys_of_silent: set[str] = set()
        self._taken: set[str] = set()  # keys that workers have
        self._is_one_idle = False
        self._waiting: dict[str, float] = {}  # keys that none has, and since when
        now = time.monotonic()
        self._answered = now  # the scheduler
        self._had_workers = now
        self._seen = threading.Event()
        self._closing = threading.Event()
        threading.Thread(target=self._watch, name="covary-dask-watch", daemon=True).start()
        self._seen.wait(SILENT_SECONDS)

    # ---- In the thread that may have to wait -----------------------------------------------------

    def _watch(self) -> None:
        while not self._closing.is_set():
            try:
                self._look()
            except Exception:  # whatever it was, check() says for how long it has lasted
                pass
            self._closing.wait(_LOOK_SECONDS)

    def _look(self) -> None:
        # In this order: the first has no error of its own when the scheduler cannot be reached.
        info = self._client.scheduler_info(n_workers=-1)
        threads = dict(self._client.nthreads())
        processing = self._client.processing()
        last_seen = {address: facts.get("last_seen") for address, facts in info["workers"].items()}
        now = time.monotonic()
        with self._lock:
            self._beats.note(last_seen, set(threads), now)
            self._silent = self._beats.silent(now)
            self._num_threads = {
                address: count for address, count in threads.items() if address not in self._silent
            }
            self._keys_of_silent = {
                str(key) for address in self._silent for key in processing.get(address, ())
            }
            self._taken = {str(key) for keys in processing.values() for key in keys}
            self._is_one_idle = any(not processing.get(address) for address in self._num_threads)
            self._answered = now
            if self._num_threads:
                self._had_workers = now
        self._seen.set()

    # ---- In the driver's thread ------------------------------------------------------------------

    def num_threads(self) -> int:
        with self._lock:
            return sum(self._num_threads.values())

    def keys_of_silent_workers(self) -> set[str]:
        """Of tasks to be given to others; none while there are no others."""
        with self._lock:
            return set(self._keys_of_silent) if self._num_threads else set()

    def forgotten(self, pending: set[str]) -> set[str]:
        """Of these tasks those that no worker will ever take, to be given out again."""
        with self._lock:
            waiting = pending - self._taken if self._is_one_idle else set()
            self._waiting = {key: self._waiting.get(key, self._answered) for key in waiting}
            return {
                key for key, since in self._waiting.items() if self._answered - since > FORGOTTEN_SECONDS
            }

    def check(self) -> None:
        """Raises if nothing can be expected of the cluster any more."""
        if self._client.status in ("closing", "closed"):
            raise ConnectionError("the Dask client lost its scheduler")
        now = time.monotonic()
        with self._lock:
            unanswered = now - self._answered
            idle = self._answered - self._had_workers
        if unanswered > SILENT_SECONDS:
            raise ConnectionError(
                f"the Dask scheduler {self._address()} has not answered for {SILENT_SECONDS:.0f} seconds; "
                "see whether it is running and can be reached"
            )
        if idle > NO_WORKER_SECONDS:
            raise ConnectionError(
                f"no worker of the Dask scheduler {self._address()} has answered for "
                f"{NO_WORKER_SECONDS:.0f} seconds; start workers, and see whether they can reach it"
            )

    def _address(self) -> str:
        scheduler = getattr(self._client, "scheduler", None)
        return str(getattr(scheduler, "address", "")) or "of this client"

    def submit(self, key: str, worker: str | None, function: Callable[..., Any], *arguments: Any) -> Any:
        import dask

        with self._lock:
            wanted = [worker] if worker is not None else list(self._num_threads) if self._silent else None
        # As a wish: a worker that is gone by then must not leave a task that nobody may take.
        choice = {} if not wanted else {"workers": wanted, "allow_other_workers": True}
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGEST_GRAPH}):
            return self._client.submit(function, *arguments, key=key, pure=False, **choice)

    def result(self, future: Any) -> Any:
        """Of a future that is done. Its worker may have gone with it, or be silent."""
        try:
            return future.result(timeout=SILENT_SECONDS)
        except TimeoutError:
            raise WorkerSilent from None

    def cancel(self, futures: list[Any]) -> None:
        if futures and self._client.status == "running":
            # In passing: it is a courtesy to the cluster, and nothing depends on it.
            threading.Thread(target=self._client.cancel, args=(futures,), daemon=True).start()

    def close(self) -> None:
        self._closing.set()
