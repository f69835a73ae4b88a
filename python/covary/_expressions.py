"""Kernels as expressions: how far apart they are, and what one is worth on data."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _engine, _settings
from ._engine import Evaluation, Expression, FittedModel


class Distances(NamedTuple):
    """How far apart two kernels are as symbols: base kernels, paths to them, and subtrees."""

    base: float
    paths: float
    subtrees: float


def _expression(kernel: str | Expression, inputs: int | list[str]) -> Expression:
    return kernel if isinstance(kernel, Expression) else Expression(kernel, inputs)


def distance(a: str | Expression, b: str | Expression, inputs: int | list[str] = 1) -> Distances:
    """The symbolic optimal-transport distances between two kernels.

    >>> import covary
    >>> covary.distance("SE", "SE*LIN")
    Distances(base=0.5, paths=1.0, subtrees=0.6666666666666666)
    """
    return Distances(*_engine.distance(_expression(a, inputs), _expression(b, inputs)))


def evaluate(
    data: _engine.Dataset, kernel: str | Expression, *, preset: str = "default", **settings: Any
) -> Evaluation:
    """Fits one kernel to data and judges it.

    Settings are those of ``covary evaluate``: criterion, fidelity, restarts, seed, threads, ... Of
    many rows the kernel is fitted to few at first, and judged on ``rows`` of them in the end.

    >>> import numpy as np, covary
    >>> x = np.linspace(0, 1, 30)
    >>> data = covary.make_dataset(x[:, None], 2 * x)
    >>> line = covary.evaluate(data, "LIN", restarts=2)
    >>> line.value > covary.evaluate(data, "PER", restarts=2).value
    True
    """
    options = _settings.evaluation_options(preset, settings)
    return _engine.evaluate_alone(data, _expression(kernel, data.input_names), options)


def fitted_model(
    data: _engine.Dataset,
    kernel: str | Expression,
    evaluation: Evaluation,
    mean: str = "zero",
) -> FittedModel:
    """The model that an evaluation found: predicts, and can be explained.

    >>> import numpy as np, covary
    >>> x = np.linspace(0, 1, 30)
    >>> data = covary.make_dataset(x[:, None], 2 * x)
    >>> model = covary.fitted_model(data, "LIN", covary.evaluate(data, "LIN", restarts=2))
    >>> model.predict([np.array([0.5])]).mean.round(3)
    array([1.])
    """
    if not evaluation.parameters:
        kind = MemoryError if evaluation.outcome == "out_of_memory" else ValueError
        raise kind(f"{kernel} could not be fitted: {evaluation.message}")
    expression = _expression(kernel, data.input_names)
    explained = data.with_transform(evaluation.transform)
    return FittedModel(expression, evaluation.parameters, explained, mean)
