"""Settings of the engine by name, which its tables declare once for every surface."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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


def evaluation_options(preset: str, values: Mapping[str, Any]) -> _engine.EvaluationOptions:
    return _engine.EvaluationOptions(preset, texts_of(values))


class CriterionFacts(NamedTuple):
    title: str  # what people call its value
    is_log_evidence: bool  # differences between kernels are logarithms of odds


def criterion_of(options: _engine.SearchOptions) -> CriterionFacts:
    """What the engine's table says about the criterion of a search."""
    wanted = dict(options.texts)["criterion"]
    facts = {
        word: CriterionFacts(title, is_log_evidence)
        for word, title, is_log_evidence in _engine.criterion_facts()
    }
    return facts[wanted]


_KINDS = {"": "bool", "N": "int", "SECONDS": "float", "LIST": "str or list of str"}


def _kind_of(placeholder: str) -> str:
    words = ", ".join(f'"{word}"' for word in placeholder.split("|"))
    return _KINDS.get(placeholder) or f"{{{words}}}"


def describe_settings(order: Iterable[str], width: int = 96) -> str:
    """A docstring's list of parameters, from the engine's own tables."""
    facts = {name: rest for name, *rest in _engine.search_settings()}
    lines = []
    for name in order:
        if name not in facts:
            continue
        placeholder, help_text, standard = facts[name]
        default = f" Default: {standard}." if standard and placeholder else ""
        lines.append(f"{name} : {_kind_of(placeholder)}, optional")
        lines += textwrap.wrap(help_text + default, width, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)
