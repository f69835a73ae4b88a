"""The package as such: types, docstrings, and that examples run."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import covary

needs_another_package = {"covary.sktime"}
modules = [covary] + [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(covary.__path__, "covary.")
    if module.name not in needs_another_package
]


def examples():
    finder, parser = doctest.DocTestFinder(), doctest.DocTestParser()
    found = {}
    for module in modules:
        for test in finder.find(module):
            found[test.name] = test
        # Those of the engine are no Python functions, which the finder looks for.
        for name in dir(module) if module.__name__ == "covary._engine" else ():
            text = inspect.getdoc(getattr(module, name)) or ""
            if ">>>" in text:
                found[f"_engine.{name}"] = parser.get_doctest(text, {}, f"_engine.{name}", None, None)
    return [pytest.param(test, id=name) for name, test in sorted(found.items()) if test.examples]


@pytest.mark.parametrize("example", examples())
def test_examples_of_docstrings_run(example):
    example.globs = {}
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
    assert outcome.failed == 0


def test_there_are_examples():
    assert len(examples()) >= 13


def test_everything_public_says_what_it_is():
    for name in covary.__all__:
        thing = getattr(covary, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(thing), name
        for member, value in inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else ():
            if not member.startswith("_") and value.__module__.startswith("covary"):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_types_are_right_and_shipped(tmp_path):
    folder = Path(covary.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_engine.pyi").exists()
    settings = Path(__file__).parents[2] / "pyproject.toml"
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--config-file={settings}", "-p", "covary"],
        capture_output=True,
        text=True,
        cwd=tmp_path,  # where nothing shadows what is installed
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_version_is_the_engines():
    from importlib.metadata import version

    assert version("covary") == covary.__version__
