"""A fitted kernel as a tree with the values of its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from .. import _engine


@dataclass(frozen=True)
class Node:
    """A base kernel or an operator, with the values of its own parameters."""

    name: str
    column: int  # 0 for sums and products, which act on no input
    values: dict[str, float]
    inner: tuple[Node, ...]


def tree_of(model: _engine.FittedModel) -> Node:
    parameters = iter(model.named_parameters)  # in preorder

    def visit(expression: _engine.Expression) -> Node:
        inner = () if expression.is_leaf else (expression.left, expression.right)
        num_own = expression.num_parameters - sum(each.num_parameters for each in inner)
        values = {own.name: own.value for own in islice(parameters, num_own)}
        if expression.period is not None:
            values["period"] = expression.period
        return Node(expression.name, expression.column or 0, values, tuple(map(visit, inner)))

    return visit(model.kernel)


def counterparts(library: str) -> dict[str, str]:
    """How a library ("sklearn", "gpytorch", "gpflow") writes base kernels, by their names."""
    texts = {kernel.name: kernel.exports.get(library, "") for kernel in _engine.base_kernels()}
    return {name: text for name, text in texts.items() if text}


def unknown(name: str, library: str) -> ValueError:
    return ValueError(f"{name} cannot be exported to {library}, which has no counterpart of it")
