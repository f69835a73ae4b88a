"""What a person sees in a notebook."""

import nbclient
import nbformat
import pytest

cells = [
    "import numpy as np, covary\n"
    "from covary._progress import _is_notebook\n"
    "print(_is_notebook())\n"
    "x = np.linspace(0, 1, 40)[:, None]\n"
    "model = covary.KernelSearchRegressor(max_evaluations=5, restarts=2)",
    "model",
    "model.fit(x, np.sin(9 * x.ravel()))",
    "model.explain()",
]


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def shown(outputs, kind):
    return [output["data"][kind] for output in outputs if kind in output.get("data", {})]


def test_a_notebook_is_known_as_one(outputs):
    assert outputs[0][0]["text"].startswith("True")


def test_an_estimator_shows_its_parameters_and_a_fitted_one_its_kernel(outputs):
    assert "max_evaluations" in shown(outputs[1], "text/html")[-1]
    page = shown(outputs[2], "text/html")[-1]
    assert "log evidence" in page.lower() and ("<svg" in page or "data:image/png" in page)


def test_the_search_shows_a_bar(outputs):
    widgets = shown(outputs[2], "application/vnd.jupyter.widget-view+json")
    texts = "".join(output.get("text", "") for output in outputs[2])
    assert widgets or "kernel" in texts


def test_an_explanation_is_readable(outputs):
    assert "<pre" in shown(outputs[3], "text/html")[-1]
