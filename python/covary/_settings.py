"""Settings of the engine by name, which its tables declare once for every surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _engine


def text_of(name: str, value: Any) -> str:
    """A setting's value as the command line would have it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def texts_of(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Those that are given; None leaves a setting as its preset has it."""
    return [(name, text_of(name, value)) for name, value in values.items() if value is not None]


def search_options(preset: str, values: Mapping[str, Any]) -> _engine.SearchOptions:
    return _engine.SearchOptions(preset, texts_of(values))


def evidence_options(preset: str, values: Mapping[str, Any]) -> _engine.EvidenceOptions:
    return _engine.EvidenceOptions(preset, texts_of(values))


def describe_settings() -> str:
    """A docstring's list of parameters, from the engine's own tables."""
    lines = []
    for name, placeholder, help_text, standard in _engine.search_settings():
        kind = placeholder.replace("|", ", ").lower() if placeholder else "bool"
        default = f" Default: {standard}." if standard and placeholder else ""
        lines += [f"{name} : {kind}, optional", f"    {help_text}{default}"]
    return "\n".join(lines)
