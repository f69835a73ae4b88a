"""What docs/python.md says runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib

project = Path(__file__).parents[2]


def test_every_block_of_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    matplotlib.use("Agg")
    shutil.copy(project / "examples/data/airline.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (project / "docs/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert (tmp_path / "airline.png").stat().st_size > 5000
    assert "Passengers is described as" in capsys.readouterr().out


def test_the_smallest_example_runs(tmp_path):
    program = [sys.executable, project / "examples/python/fit.py"]
    files = [project / "examples/data/airline.csv", tmp_path / "airline.png"]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    seen = subprocess.run([*program, *files], capture_output=True, check=True, text=True, env=environment)
    assert "log evidence" in seen.stdout and "Passengers is described as" in seen.stdout
    assert files[1].stat().st_size > 5000
