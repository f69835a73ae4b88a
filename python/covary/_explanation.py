"""A model in English."""

from __future__ import annotations

import html
import json
from typing import Any

import pandas as pd

from . import _engine


class Explanation:
    """What a model says: text for people, and the facts behind it.

    ``print(explanation)`` shows the whole text.
    """

    def __init__(self, engine: _engine.Explanation) -> None:
        self._text = engine.text
        self._summary = engine.summary
        self._facts = json.loads(engine.json)

    @property
    def summary(self) -> str:
        """One paragraph."""
        return self._summary

    @property
    def components(self) -> pd.DataFrame:
        """The additive parts, the most useful first: what each explains, and how well."""
        parts = self._facts["components"]
        plain = [key for key, value in parts[0].items() if not isinstance(value, (list, dict))]
        return pd.DataFrame([{key: part[key] for key in plain} for part in parts])

    def to_dict(self) -> dict[str, Any]:
        """All facts, as ``covary explain --json`` prints them."""
        facts: dict[str, Any] = json.loads(json.dumps(self._facts))
        return facts

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre style='white-space: pre-wrap'>{html.escape(self._text)}</pre>"
