"""What generated sources have in common."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import ClassVar

from .. import _engine
from .model_tree import Node, unknown
from .sklearn_model import added_jitter

Lines = list[str]
_WIDEST = 88  # of a call on one line, without what it is indented by


def indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]


def call(function: str, *arguments: Lines) -> Lines:
    """On one line if that is short, else with a line for each argument."""
    in_one = f"{function}({', '.join(' '.join(lines) for lines in arguments)})"
    if len(in_one) <= _WIDEST and all(len(lines) == 1 for lines in arguments):
        return [in_one]
    with_commas = [line for lines in arguments for line in [*lines[:-1], lines[-1] + ","]]
    return [f"{function}(", *indented(with_commas), ")"]


def keywords(**values: object) -> list[Lines]:
    return [[f"{name}={value!r}"] for name, value in values.items()]


def filled_in(text: str, values: Mapping[str, float]) -> Lines:
    """An expression with values in the place of names, its calls as call() lays them out."""

    class Values(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Constant(values[node.id]) if node.id in values else node

    def lines(node: ast.expr) -> Lines:
        if not isinstance(node, ast.Call):
            return [ast.unparse(node)]
        named = ((keyword.arg, lines(keyword.value)) for keyword in node.keywords)
        arguments = [
            *map(lines, node.args),
            *([f"{name}={first}", *rest] for name, (first, *rest) in named),
        ]
        return call(ast.unparse(node.func), *arguments)

    return lines(Values().visit(ast.parse(text, mode="eval")).body)


class KernelText:
    """How a library writes base kernels and change points, as lines inside of brackets."""

    library: ClassVar[str]

    def base_kernel(self, node: Node) -> Lines:
        raise NotImplementedError

    def change_point(self, node: Node, before: Lines, after: Lines) -> Lines:
        raise NotImplementedError

    def lines(self, node: Node) -> Lines:
        if not node.inner:
            return self.base_kernel(node)
        left, right = (self.lines(inner) for inner in node.inner)
        match node.name:
            case "ADD":
                return [*left, f"+ {right[0]}", *right[1:]]
            case "MULT":
                left, right = (
                    ["(", *indented(lines), ")"] if inner.name == "ADD" else lines
                    for inner, lines in zip(node.inner, (left, right), strict=True)
                )
                return [*left, f"* {right[0]}", *right[1:]]
            case "CP":
                return self.change_point(node, left, right)
        raise unknown(node.name, self.library)


def kernel_function(lines: Lines) -> str:
    return "\n".join(["def build_kernel():", "    return (", *indented(indented(lines)), "    )", ""])


def names_in(node: Node) -> set[str]:
    return {node.name}.union(*map(names_in, node.inner))


_UNITS = {
    "date": ", days since 1970-01-01",
    "date_time": ", seconds since 1970-01-01T00:00:00",
}


def head_comment(model: _engine.FittedModel, library: str, how_to_train: Lines) -> str:
    data = model.data
    columns = enumerate(data.input_scalings)
    lines = [
        f"A Gaussian process with the kernel {model.kernel}",
        f"fitted by Covary {_engine.version}, for {library}. It explains {data.target_name} by",
        *(f"    x[:, {i}]: {name}{_UNITS.get(kind, '')}" for i, (name, kind, _, _) in columns),
        "",
        f"    model = build(x, y)             # with the {data.num_rows} rows that it was fitted to",
        "    mean, sd = predict(model, x)    # of the target at new points; the noise is in sd",
        "",
        "All arrays are in the units of the data. To train further:",
        *indented(how_to_train),
    ]
    # Names of columns are not ours: whatever they hold, it stays in its line of the comment.
    safe = ("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)
    return "\n".join(f"# {line}".rstrip() for line in safe) + "\n\n"


def constants(model: _engine.FittedModel) -> str:
    scalings = model.data.input_scalings
    _, _, target_offset, target_factor = model.data.target_scaling
    transform = model.data.target_transform
    target = "the target" if transform == "none" else f"the {transform} of the target"
    lines = [
        f"# The kernel sees (raw - offset) / factor of the inputs, and explains that of {target}.",
        f"INPUT_OFFSETS = {[offset for _, _, offset, _ in scalings]!r}",
        f"INPUT_FACTORS = {[factor for _, _, _, factor in scalings]!r}",
        f"TARGET_OFFSET = {target_offset!r}",
        f"TARGET_FACTOR = {target_factor!r}",
        f"NOISE_VARIANCE = {model.noise_variance!r}",
    ]
    if model.jitter > 0.0:
        lines += [
            "# The covariance matrix can be factored only with this on its diagonal; it is no noise.",
            f"JITTER = {added_jitter(model)!r}",
        ]
    return "\n".join([*lines, ""])


def with_jitter(text: str, model: _engine.FittedModel) -> str:
    """The jitter acts on the training rows like noise, but is in no prediction."""
    has_jitter = model.jitter > 0.0
    return text.replace("<PLUS_JITTER>", " + JITTER" if has_jitter else "").replace(
        "<MINUS_JITTER>", " - JITTER" if has_jitter else ""
    )


# The target's transform as numpy has it, and back; the logarithm's moments have a closed form.
_THERE_AND_BACK = {
    "log": ("numpy.log(y)", "numpy.exp(t)"),
    "log1p": ("numpy.log1p(y)", "numpy.maximum(numpy.expm1(t), 0.0)"),
    "logit": ("numpy.log(y) - numpy.log1p(-y)", "1.0 / (1.0 + numpy.exp(-t))"),
}

_LOG_MOMENTS = '''\
def target_moments(mean, sd):
    """Mean and standard deviation of the target, whose logarithm is Gaussian."""
    middle = numpy.exp(mean + 0.5 * sd**2)
    return middle, middle * numpy.sqrt(numpy.expm1(sd**2))
'''

_MOMENTS = '''\
def target_moments(mean, sd):
    """Mean and standard deviation of the target, which is Gaussian once it is transformed."""
    z = numpy.linspace(-9.0, 9.0, 801)
    weights = numpy.exp(-0.5 * z**2)
    weights /= weights.sum()
    t = mean[:, None] + sd[:, None] * z
    y = <BACK>
    middle = y @ weights
    return middle, numpy.sqrt((y - middle[:, None]) ** 2 @ weights)
'''

_PREDICTED = "return TARGET_OFFSET + TARGET_FACTOR * mean, TARGET_FACTOR * sd"


def scaling(model: _engine.FittedModel) -> str:
    """The functions between raw and scaled numbers."""
    transform = model.data.target_transform
    if transform == "none":
        return _SCALING
    there, back = _THERE_AND_BACK[transform]
    text = _SCALING.replace("(y - TARGET_OFFSET)", f"({there} - TARGET_OFFSET)")
    moments = _LOG_MOMENTS if transform == "log" else _MOMENTS.replace("<BACK>", back)
    return f"{text}\n\n{moments}"


def with_transform(text: str, model: _engine.FittedModel) -> str:
    """Predictions that are taken back to the target's own unit."""
    if model.data.target_transform == "none":
        return text
    predicted = _PREDICTED.removeprefix("return ")
    return text.replace(_PREDICTED, f"return target_moments({predicted})")


_SCALING = '''\
def scaled_inputs(x):
    x = numpy.asarray(x, dtype=float)
    x = x.reshape(len(x), len(INPUT_OFFSETS))
    return (x - numpy.array(INPUT_OFFSETS)) / numpy.array(INPUT_FACTORS)


def scaled_target(y):
    y = numpy.asarray(y, dtype=float).reshape(len(y))
    return (y - TARGET_OFFSET) / TARGET_FACTOR
'''
