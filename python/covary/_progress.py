"""A progress bar where somebody looks: in a terminal or in a notebook."""

from __future__ import annotations

import sys
from typing import Any


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and type(running).__name__ == "ZMQInteractiveShell"


def _bar_class() -> Any:
    if _is_notebook():
        try:
            import ipywidgets  # noqa: F401  # what the notebook's bar is made of
            from tqdm.notebook import tqdm

            return tqdm
        except ImportError:
            pass
    from tqdm import tqdm

    return tqdm


class ProgressBar:
    """Follows a search: evaluations done, the best kernel so far, and the time left."""

    def __init__(self, quiet: bool = False) -> None:
        self._is_shown = not quiet and (_is_notebook() or sys.stderr.isatty())
        self._bar: Any = None

    def __call__(self, what: str, number: int, num_done: int, kernel: str, value: float | None) -> None:
        if not self._is_shown:
            return
        if what == "starting":
            self._bar = _bar_class()(total=number, desc="search", unit="kernel", leave=False)
        elif what == "finishing" and self._bar is not None:
            self._bar.set_description("the best once more")  # and shows the last evaluation
        elif what == "recorded" and self._bar is not None:
            if value is not None:
                self._bar.set_postfix_str(f"best {value:.4f} per row: {_cut(kernel)}", refresh=False)
            self._bar.update(1)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _cut(kernel: str, length: int = 40) -> str:
    return kernel if len(kernel) <= length else kernel[: length - 1] + "…"
