"""Exported source text, run with the real GPyTorch and GPflow, predicts what the engine predicts.

The libraries are large and want their own versions of others, so they live in environments of their
own: tests/python/make_export_environments FOLDER makes them and prints the variables to set.
"""

import json
import os
import subprocess

import numpy as np
import pytest
from test_export import ONE_INPUT, THREE_INPUTS, columns_of, dataset, dataset_of, model_of, new_points

from covary import _engine, export

pytestmark = pytest.mark.slow

TOLERANCE = 1e-6

# What is the same for both libraries: every case is built, predicts, and says what it could train.
RUN = """
import importlib, json, sys
import numpy
{imports}

results = {{}}
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    data = numpy.load(name + ".npz")
    model = module.build(data["x"], data["y"])
    mean, sd = module.predict(model, data["new_x"])
    likelihood, num_parameters = likelihood_of(model)
    trained = likelihood_after_training(model) if "train" in name else None
    results[name] = dict(mean=mean.tolist(), sd=sd.tolist(), likelihood=likelihood,
                         num_parameters=num_parameters, trained=trained)
json.dump(results, open("results.json", "w"))
"""

GPYTORCH = """
import gpytorch, torch

def likelihood_of(model):
    model.train()
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    with gpytorch.settings.fast_computations(False, False, False):
        value = likelihood(model(*model.train_inputs), model.train_targets)
    (-value).backward()
    assert all(torch.isfinite(each.grad).all() for each in model.parameters())
    assert all(each.dtype == torch.float64 for each in model.parameters())
    return value.item() * len(model.train_targets), sum(each.numel() for each in model.parameters())

def likelihood_after_training(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    model.train()
    for _ in range(20):
        optimizer.zero_grad()
        (-likelihood(model(*model.train_inputs), model.train_targets)).backward()
        optimizer.step()
    return likelihood_of(model)[0]
"""

GPFLOW = """
import gpflow, tensorflow

def likelihood_of(model):
    with tensorflow.GradientTape() as tape:
        value = model.maximum_log_likelihood_objective()
    gradients = tape.gradient(value, model.trainable_variables)
    assert all(numpy.isfinite(each.numpy()).all() for each in gradients)
    return value.numpy().item(), sum(each.numpy().size for each in model.trainable_variables)

def likelihood_after_training(model):
    gpflow.optimizers.Scipy().minimize(
        model.training_loss, model.trainable_variables, options=dict(maxiter=5), compile=False)
    return likelihood_of(model)[0]
"""

LIBRARIES = {
    "gpytorch": ("COVARY_GPYTORCH_PYTHON", GPYTORCH, export.to_gpytorch_code),
    "gpflow": ("COVARY_GPFLOW_PYTHON", GPFLOW, export.to_gpflow_code),
}


def fitted_airline():
    path = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "data", "airline.csv")
    data = _engine.dataset_of_csv(path, "Passengers", [], [], [])
    kernel = _engine.Expression("LIN + LIN*SE*PER", data.input_names)
    options = _engine.EvidenceOptions("default", [("restarts", "4")])
    return _engine.FittedModel(kernel, _engine.evaluate(data, kernel, options).parameters, data)


def with_jitter():
    inputs, _ = columns_of(1)
    target = ("y", "number", 3.0 * inputs[0][2])
    return model_of("LIN", dataset_of(inputs, target), noise=1e-19)


def make_models():
    models = {
        f"{prefix}_{i}_{mean}": model_of(kernel, dataset(num_inputs), mean, seed=i)
        for prefix, num_inputs, kernels in (("one", 1, ONE_INPUT), ("three", 3, THREE_INPUTS))
        for i, kernel in enumerate(kernels)
        for mean in ("zero", "constant")
    }
    dates = dataset(3, kinds=("date", "number", "date_time"))
    return models | {
        "airline": fitted_airline(),
        "dates": model_of("SE_1*PER_3 + CP_3(LIN_2, RQ_1)", dates),
        "some_rows": model_of("LIN + SE", dataset(1).rows(range(5, 20))),
        "not_scaled": model_of("LIN + CP(MAT32, SE)", dataset(1, scale=False), noise=1.0),
        "least_noise": model_of("LIN*PER + MAT32", dataset(1), noise=1e-6),
        "many_rows": model_of("LIN*SE + PER*RQ", dataset(1, num_rows=900)),
        "train_one_input": model_of("CP(SE, LIN)*PER + MAT32", dataset(1), "constant"),
        "train_three_inputs": model_of("CP_3(SE_1, LIN_2) + RQ_1*MAT52_3", dataset(3), "constant"),
        "jitter": with_jitter(),
    }


MODELS = make_models()


def interpreter_of(library):
    variable = LIBRARIES[library][0]
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"{variable} is not set; tests/python/make_export_environments FOLDER prints it")
    found = subprocess.run([python, "-c", f"import {library}"], capture_output=True, env=environment())
    if found.returncode != 0:
        pytest.skip(f"{python}, which {variable} names, cannot import {library}")
    return python


def environment():
    """Without what leads to the packages of the tests' own interpreter."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in hidden}


@pytest.fixture(scope="module", params=LIBRARIES)
def results(request, tmp_path_factory):
    """Of all models in one process: the libraries take long to load."""
    python = interpreter_of(request.param)
    _, imports, export_code = LIBRARIES[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    for name, model in MODELS.items():
        (folder / f"{name}.py").write_text(export_code(model), encoding="utf-8")
        np.savez(
            folder / f"{name}.npz",
            x=np.column_stack(model.data.inputs),
            y=model.data.target,
            new_x=np.column_stack(new_points(model.data)),
        )
    (folder / "run_all.py").write_text(RUN.format(imports=imports), encoding="utf-8")
    ran = subprocess.run(
        [python, "run_all.py", *MODELS], cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    return json.loads((folder / "results.json").read_text())


@pytest.mark.parametrize("name", MODELS)
def test_it_predicts_what_the_engine_predicts(results, name):
    model, result = MODELS[name], results[name]
    wanted = model.predict(new_points(model.data))
    # A nearly singular matrix: what agrees is the larger half of the digits.
    tolerance = 1e-3 if model.jitter > 0.0 else TOLERANCE
    np.testing.assert_allclose(result["mean"], wanted.mean, rtol=tolerance)
    np.testing.assert_allclose(result["sd"], wanted.sd, rtol=tolerance)


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.jitter == 0.0])
def test_its_likelihood_and_parameters_are_those_of_the_engine(results, name):
    model, result = MODELS[name], results[name]
    assert result["likelihood"] == pytest.approx(model.log_marginal_likelihood, rel=TOLERANCE)
    assert result["num_parameters"] == len(model.parameters)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("train")])
def test_it_can_be_trained_further(results, name):
    assert results[name]["trained"] > results[name]["likelihood"] + 0.1
