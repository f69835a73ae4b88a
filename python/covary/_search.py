"""A search in one's own hands."""

from __future__ import annotations

from typing import Any

import pandas as pd

from . import _engine, _settings
from ._engine import Dataset, Evaluation, Expression, SearchResult, SearchTask


class Search:
    """A kernel search that is stepped: ask for a kernel, evaluate it, tell what it is worth.

    Parameters
    ----------
    data : Dataset or list of str
        What kernels are judged by (see :func:`make_dataset`, :func:`read_csv`); or only the names of
        the inputs, for a measure of one's own.
    preset : {"default", "paper"}
    random_state : int
    out, resume, force
        Folder that keeps every evaluation, as ``covary search`` has them.
    **settings
        As on the command line: ``max_evaluations``, ``space``, ``method``, ...

    Examples
    --------
    With an oracle of one's own, here the distance to a kernel that is to be found:

    >>> import covary
    >>> search = covary.Search(["x"], max_evaluations=30)
    >>> while (task := search.ask()) is not None:
    ...     search.tell(task, -sum(covary.distance(task.kernel, "SE + PER")))
    >>> kernel, value = search.best
    >>> len(search.history)
    30
    """

    def __init__(
        self,
        data: Dataset | list[str],
        *,
        preset: str = "default",
        random_state: int = 1,
        out: str | None = None,
        resume: bool = False,
        force: bool = False,
        **settings: Any,
    ) -> None:
        options = _settings.search_options(preset, {**settings, "seed": random_state})
        self._data = data if isinstance(data, Dataset) else None
        if self._data is not None:
            folder = None if out is None else str(out)
            self._search = _engine.SteppedSearch(self._data, options, folder, resume, force)
            self._data = self._search.data
        elif out is not None:
            raise ValueError("out keeps evaluations of data; a search without data has none")
        else:
            self._search = _engine.SteppedSearch(list(data), options)  # type: ignore[arg-type]

    def ask(self, max_under_way: int = 1) -> SearchTask | None:
        """The next kernel, if fewer than `max_under_way` have been asked for and not told.

        None while that depends on results still to come, and once the search is done. What is under
        way is taken into account. The best kernels come a second time at the end, to be fitted from
        more starts (``task.is_finalist``), unless values are one's own.
        """
        return self._search.ask(max_under_way)

    def evaluate(self, task: SearchTask) -> Evaluation:
        """Judges a task's kernel by the data, as a search by itself would."""
        if self._data is None:
            raise ValueError("this search has no data; tell it values of your own")
        return _engine.evaluate(self._data, task.kernel, task.options, task.warm_starts)

    def tell(self, task: SearchTask, result: Evaluation | float) -> None:
        """What a task's kernel is worth: an evaluation, or a number, larger is better.

        A kernel that has no value is told by :meth:`fail`.
        """
        if result is None:
            raise TypeError("None is no value; call fail(task, reason) for a kernel that has none")
        if isinstance(result, Evaluation):
            self._search.tell(task.number, result)
        else:
            self._search.tell(task.number, float(result))

    def fail(self, task: SearchTask, reason: str = "") -> None:
        """The task's kernel has no value. The search passes it by and does not propose it again.

        It counts as an evaluation; the history has it with the outcome "failed" and the reason as
        its message.
        """
        self._search.fail(task.number, reason)

    def stop(self) -> None:
        """No more kernels; what was told is kept."""
        self._search.stop()

    @property
    def is_done(self) -> bool:
        return self._search.is_done

    @property
    def best(self) -> tuple[Expression, float] | None:
        """The best kernel so far and its value."""
        return self._search.best

    @property
    def history(self) -> pd.DataFrame:
        """Every evaluation, in the order of proposals."""
        return history_frame(self._search.history)

    def result(self) -> SearchResult:
        """The model, the best kernels and the history. Not for values of one's own."""
        return self._search.result()


def history_frame(columns: dict[str, list[Any]]) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    for name in ("value", "value_per_row", "best_so_far", "predicted_mean", "predicted_sd"):
        frame[name] = frame[name].astype("float64")
    return frame.set_index("index")
