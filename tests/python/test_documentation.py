"""What docs/python.md says runs."""

import re
import shutil
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
