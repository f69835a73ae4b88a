"""Source text that builds a model with GPyTorch."""

from __future__ import annotations

from .. import _engine
from .model_tree import Node, counterparts, tree_of, unknown
from .source_text import (
    KernelText,
    Lines,
    call,
    constants,
    head_comment,
    kernel_function,
    keywords,
    names_in,
    scaling,
    with_jitter,
    with_transform,
)

_GPYTORCH_VALUES = '''\
def with_values(module, **values):
    """The module in double precision, with these values of its parameters."""
    return module.double().initialize(
        **{name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}
    )


def times(variance, kernel):
    return with_values(gpytorch.kernels.ScaleKernel(kernel), outputscale=variance)
'''

_GPYTORCH_CHANGE_POINT = '''\
class ChangePoint(gpytorch.kernels.Kernel):
    """One kernel before a place on an input, and another after it."""

    def __init__(self, before, after, column):
        super().__init__()
        self.before = before
        self.after = after
        self.column = column
        self.register_parameter("location", torch.nn.Parameter(torch.zeros(())))
        self.register_parameter("raw_width", torch.nn.Parameter(torch.zeros(())))
        self.register_constraint("raw_width", gpytorch.constraints.Positive())

    @property
    def width(self):
        return self.raw_width_constraint.transform(self.raw_width)

    @width.setter
    def width(self, value):
        self.initialize(raw_width=self.raw_width_constraint.inverse_transform(value))

    def forward(self, x1, x2, diag=False, **params):
        t1 = (x1[..., self.column] - self.location) / self.width
        t2 = (x2[..., self.column] - self.location) / self.width
        before = self.before(x1, x2, diag=diag, **params)
        after = self.after(x1, x2, diag=diag, **params)
        if not diag:
            t1, t2 = t1.unsqueeze(-1), t2.unsqueeze(-2)
            before, after = before.to_dense(), after.to_dense()
        both_before = torch.sigmoid(-t1) * torch.sigmoid(-t2)
        both_after = torch.sigmoid(t1) * torch.sigmoid(t2)
        return both_before * before + both_after * after


def change_point(before, after, column, location, width):
    return with_values(ChangePoint(before, after, column), location=location, width=width)
'''

_GPYTORCH_UNKNOWN_CONSTANT = '''\
class UnknownConstant(gpytorch.kernels.Kernel):
    """Added to the scaled target, with the prior N(0, 1)."""

    def forward(self, x1, x2, diag=False, **params):
        return x1.new_ones(x1.shape[:-1] if diag else (*x1.shape[:-1], x2.shape[-2]))
'''

_GPYTORCH_MODEL = '''\
class Model(gpytorch.models.ExactGP):
    def __init__(self, train_x, train_y, likelihood):
        super().__init__(train_x, train_y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = build_kernel()

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def build(train_x, train_y):
    likelihood = gpytorch.likelihoods.GaussianLikelihood(
        noise_constraint=gpytorch.constraints.Positive()
    )
    return Model(
        torch.from_numpy(scaled_inputs(train_x)),
        torch.from_numpy(scaled_target(train_y)),
        with_values(likelihood, noise=NOISE_VARIANCE<PLUS_JITTER>),
    )


def predict(model, x):
    model.eval()
    # Exact, by a Cholesky factor: GPyTorch would approximate for more than 800 rows.
    exact = gpytorch.settings.fast_computations(
        covar_root_decomposition=False, log_prob=False, solves=False
    )
    with torch.no_grad(), exact:
        predicted = model.likelihood(model(torch.from_numpy(scaled_inputs(x))))
        mean, variance = predicted.mean.numpy(), predicted.variance.numpy()
    sd = numpy.sqrt(variance<MINUS_JITTER>)
    return TARGET_OFFSET + TARGET_FACTOR * mean, TARGET_FACTOR * sd
'''


class GPyTorchText(KernelText):
    library = "GPyTorch"

    def __init__(self) -> None:
        self._counterparts = counterparts("gpytorch")

    def base_kernel(self, node: Node) -> Lines:
        if node.name not in self._counterparts:
            raise unknown(node.name, self.library)
        function = self._counterparts[node.name].removeprefix("def ").partition("(")[0]
        return call(function, [str(node.column)], *keywords(**node.values))

    def change_point(self, node: Node, before: Lines, after: Lines) -> Lines:
        place = keywords(column=node.column, **node.values)
        return call("change_point", before, after, *place)


def to_gpytorch_code(model: _engine.FittedModel) -> str:
    """Python source that builds the model with GPyTorch 1.10 or later: build() and predict()."""
    tree = tree_of(model)
    kernel = GPyTorchText().lines(tree)
    names = names_in(tree)
    texts = (text for name, text in counterparts("gpytorch").items() if name in names)
    functions = list(dict.fromkeys(texts))  # some kernels share theirs
    if "CP" in names:
        functions.append(_GPYTORCH_CHANGE_POINT)
    if model.mean == "constant":
        functions.append(_GPYTORCH_UNKNOWN_CONSTANT)
        kernel = [*kernel, "+ UnknownConstant()"]
    how_to_train = [
        "model.train()",
        "likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)",
        "...  # maximise likelihood(model(*model.train_inputs), model.train_targets)",
    ]
    head = head_comment(model, "GPyTorch 1.10 or later", how_to_train)
    parts = [
        head + "import gpytorch\nimport numpy\nimport torch\n\n" + constants(model),
        scaling(model),
        _GPYTORCH_VALUES,
        *functions,
        kernel_function(kernel),
        with_transform(with_jitter(_GPYTORCH_MODEL, model), model),
    ]
    return "\n\n".join(parts)
