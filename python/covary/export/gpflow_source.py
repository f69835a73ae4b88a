"""Source text that builds a model with GPflow."""

from __future__ import annotations

from .. import _engine
from .model_tree import Node, counterparts, tree_of, unknown
from .source_text import (
    KernelText,
    Lines,
    call,
    constants,
    filled_in,
    head_comment,
    indented,
    kernel_function,
    keywords,
    names_in,
    scaling,
    with_jitter,
    with_transform,
)

_GPFLOW_CHANGE_POINT = '''\
class ChangePoint(gpflow.kernels.Kernel):
    """One kernel before a place on an input, and another after it: ChangePoints for many inputs."""

    def __init__(self, before, after, column, location, width):
        super().__init__()
        self.before = before
        self.after = after
        self.column = column
        self.location = gpflow.Parameter(location)
        self.width = gpflow.Parameter(width, transform=gpflow.utilities.positive())

    def steps(self, X):
        return (X[:, self.column] - self.location) / self.width

    def K(self, X, X2=None):
        t1 = self.steps(X)[:, None]
        t2 = self.steps(X if X2 is None else X2)[None, :]
        both_before = tf.sigmoid(-t1) * tf.sigmoid(-t2)
        both_after = tf.sigmoid(t1) * tf.sigmoid(t2)
        return both_before * self.before(X, X2) + both_after * self.after(X, X2)

    def K_diag(self, X):
        t = self.steps(X)
        before = self.before(X, full_cov=False)
        after = self.after(X, full_cov=False)
        return tf.sigmoid(-t) ** 2 * before + tf.sigmoid(t) ** 2 * after
'''

_GPFLOW_UNKNOWN_CONSTANT = '''\
def unknown_constant():
    """Added to the scaled target, with the prior N(0, 1)."""
    kernel = gpflow.kernels.Constant(1.0)
    gpflow.set_trainable(kernel, False)
    return kernel
'''

_GPFLOW_MODEL = '''\
def build(train_x, train_y):
    data = (scaled_inputs(train_x), scaled_target(train_y)[:, None])
    likelihood = gpflow.likelihoods.Gaussian(NOISE_VARIANCE<PLUS_JITTER>, variance_lower_bound=0.0)
    return gpflow.models.GPR(data, kernel=build_kernel(), likelihood=likelihood)


def predict(model, x):
    mean, variance = (each.numpy()[:, 0] for each in model.predict_y(scaled_inputs(x)))
    sd = numpy.sqrt(variance<MINUS_JITTER>)
    return TARGET_OFFSET + TARGET_FACTOR * mean, TARGET_FACTOR * sd
'''


class GPflowText(KernelText):
    library = "GPflow"

    def __init__(self, num_inputs: int) -> None:
        self._num_inputs = num_inputs
        self._counterparts = counterparts("gpflow")

    def base_kernel(self, node: Node) -> Lines:
        if node.name not in self._counterparts:
            raise unknown(node.name, self.library)
        return filled_in(self._counterparts[node.name], {**node.values, "column": node.column})

    def change_point(self, node: Node, before: Lines, after: Lines) -> Lines:
        if self._num_inputs > 1:
            place = keywords(column=node.column, **node.values)
            return call("ChangePoint", before, after, *place)
        inner = [*before[:-1], before[-1] + ",", *after[:-1], after[-1] + ","]
        return call(
            "gpflow.kernels.ChangePoints",
            ["[", *indented(inner), "]"],
            [f"locations=[{node.values['location']!r}]"],
            [f"steepness=1.0 / {node.values['width']!r}"],
        )


def to_gpflow_code(model: _engine.FittedModel) -> str:
    """Python source that builds the model with GPflow 2: build() and predict()."""
    tree = tree_of(model)
    num_inputs = model.data.num_inputs
    kernel = GPflowText(num_inputs).lines(tree)
    imports = "import gpflow\nimport numpy\n"
    functions = []
    if "CP" in names_in(tree) and num_inputs > 1:
        imports += "import tensorflow as tf\n"
        functions.append(_GPFLOW_CHANGE_POINT)
    if model.mean == "constant":
        functions.append(_GPFLOW_UNKNOWN_CONSTANT)
        kernel = [*kernel, "+ unknown_constant()"]
    train = "gpflow.optimizers.Scipy().minimize(model.training_loss, model.trainable_variables)"
    parts = [
        head_comment(model, "GPflow 2", [train]) + imports + "\n" + constants(model),
        scaling(model),
        *functions,
        kernel_function(kernel),
        with_transform(with_jitter(_GPFLOW_MODEL, model), model),
    ]
    return "\n\n".join(parts)
