"""Numbers are read and written with points, whatever the locale of the process is."""

import json
import os
import subprocess
import sys

import pytest

# In a process of its own, since a locale is the whole process's.
work = """
import json, locale, sys
if sys.argv[1]:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ",", locale.localeconv()
import pandas as pd
import covary
data = covary.read_csv("numbers.csv", target="y")
table = pd.read_csv("numbers.csv")
X, y = table[["x"]], table["y"]
settings = dict(max_evaluations=4, restarts=2, finalists=2, time_limit=60.5, threads=1, quiet=True, out="run")
model = covary.KernelSearchRegressor(**settings).fit(X, y)
model.save("model.json")
loaded = covary.KernelSearchRegressor.load("model.json")
found = covary.evaluate(data, "SE + LIN", restarts=2, time_limit=60.5)
json.dump({
    "kernel": model.kernel_, "value": model.value_, "predictions": list(model.predict(X)),
    "loaded": list(loaded.predict(X)), "words": str(model.explain()), "facts": model.explain().to_dict(), "evaluated": found.value,
    "fingerprint": data.fingerprint, "text": open("model.json").read(),
    "stored": open("run/model.json").read(),
    "code": model.to_gpytorch_code(),
}, open("found.json", "w"))
"""


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locales")
    try:
        subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no locale can be made ({error}); tools/bootstrap test installs what it needs")
    return folder


def found(folder, locale, environment):
    folder.mkdir()
    rows = "".join(f"{i / 8},{i * i / 50 + i % 3 / 4:.3f}\n" for i in range(20))
    (folder / "numbers.csv").write_text("x,y\n" + rows)
    subprocess.run(
        [sys.executable, "-c", work, locale], cwd=folder, check=True, env={**os.environ, **environment}
    )
    return json.loads((folder / "found.json").read_text())


def test_a_german_process_says_and_keeps_what_another_does(german, tmp_path):
    variables = {"LOCPATH": str(german), "LC_ALL": "de_DE.UTF-8"}
    one = found(tmp_path / "one", "", {"LC_ALL": "C.UTF-8"})
    other = found(tmp_path / "other", "de_DE.UTF-8", variables)
    assert other == one
    assert one["predictions"] == pytest.approx(one["loaded"])
    assert len(set(one["predictions"])) > 10
