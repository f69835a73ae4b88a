"""The tutorial runs from top to bottom, with and without the public data set.

To write the outputs that the tutorial is stored with anew:

    COVARY_DATA=FOLDER python tests/python/test_tutorial.py
"""

import os
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

import covary

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "python" / "tutorial.ipynb"
SECONDS = 600
MOST_BYTES = 1_000_000
MISSING = "concrete.csv is not here: run `tools/fetch_data data concrete`"


def executed() -> nbformat.NotebookNode:
    """The notebook with new outputs; its file stays as it is."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
        store_widget_state=False,
    )
    client.execute(env=environment())
    return notebook


def environment() -> dict[str, str]:
    """This process's, with paths that hold in the notebook's folder too."""
    found = dict(os.environ)
    found["PYTHONPATH"] = os.pathsep.join([str(Path(covary.__file__).resolve().parents[1])])
    if "COVARY_DATA" in found:
        found["COVARY_DATA"] = str(Path(found["COVARY_DATA"]).resolve())
    return found


def outputs(notebook, cell_id):
    (cell,) = [cell for cell in notebook.cells if cell.id == cell_id]
    return cell.outputs


def text(notebook, cell_id):
    """All that a cell shows, as plain text."""
    found = []
    for output in outputs(notebook, cell_id):
        found.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
    return "".join(found)


def has_picture(notebook, cell_id):
    return any("image/png" in output.get("data", {}) for output in outputs(notebook, cell_id))


def has_data():
    folder = os.environ.get("COVARY_DATA", NOTEBOOK.parents[2] / "data")
    return Path(folder, "concrete.csv").exists()


@pytest.fixture(scope="module")
def tutorial():
    return executed()


def test_nothing_goes_wrong(tutorial):
    for cell in tutorial.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error", f"{cell.id}: {output.evalue}"
            # A progress bar goes there where the notebook has no widgets.
            words = output.get("text", "").strip()
            is_bar = not words or "kernel/s" in words or "s/kernel" in words  # by how fast it goes
            assert output.get("name") != "stderr" or is_bar, f"{cell.id}: {output.text}"


def test_the_series_is_explained_and_forecast(tutorial):
    assert "YEAR" in text(tutorial, "kernel") and "log evidence" in text(tutorial, "kernel")
    assert "yearly" in " ".join(text(tutorial, "explain").split())
    assert "1961-06-01" in text(tutorial, "predict")
    assert "million passengers in 1961" in text(tutorial, "sample")
    assert float(text(tutorial, "files").split()[-2]) < 1e-9
    assert "mean error of the forecasts" in text(tutorial, "cross-validation")
    assert "the same on logarithms" in text(tutorial, "pipeline")
    assert "TransformedTarget" in text(tutorial, "export")
    assert "thousand passengers over two years" in text(tutorial, "stepped")
    assert text(tutorial, "executor") == "True"
    for picture in ("plot-fit", "plot-components", "history", "residuals", "sample"):
        assert has_picture(tutorial, picture), picture


def test_the_table_is_explained_or_its_lack_is_said(tutorial):
    if not has_data():
        assert text(tutorial, "read-concrete").startswith(MISSING)
        assert not outputs(tutorial, "along")
        return
    assert MISSING not in text(tutorial, "read-concrete")
    assert "random forest" in text(tutorial, "compare")
    assert "test samples lie inside their 95 % interval" in text(tutorial, "coverage")
    assert "strength is described as" in text(tutorial, "explain-concrete")
    assert has_picture(tutorial, "explain-concrete") and has_picture(tutorial, "along")


def test_the_stored_tutorial_has_outputs_and_nothing_of_the_machine_it_ran_on():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert notebook.metadata.kernelspec.name == "python3"
    assert "yearly" in " ".join(text(notebook, "explain").split())
    assert has_picture(notebook, "along")
    assert NOTEBOOK.stat().st_size < MOST_BYTES
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"}
        for output in cell.get("outputs", []):
            pages = [page for kind, page in output.get("data", {}).items() if kind.startswith("text/")]
            shown = re.sub("base64,[^']*|</", "", "\n".join([*pages, output.get("text", "")]))
            found = re.search(r"(?<![\w.])(/[a-z]+)+/\S*|[A-Z]:\\|site-packages|ipykernel", shown)
            assert found is None, f"{cell.id} names {found[0]}"


def write_outputs() -> None:
    notebook = executed()
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {}  # times of the execution
        if cell.cell_type == "code":
            # A progress bar, a widget or text on stderr, is no more than its last state on paper.
            cell.outputs = [
                output
                for output in cell.outputs
                if "application/vnd.jupyter.widget-view+json" not in output.get("data", {})
                and output.get("name") != "stderr"
            ]
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    write_outputs()
