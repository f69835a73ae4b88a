"""docs/reliability.md promises a test for each of its lines: it must be there, under that name. And
each way in which a table can be wrong that has a test must have a line."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PAGE = ROOT / "docs/reliability.md"


def cases_of(file):
    return re.findall(r"^case +(.*?) *$", file.read_text(), re.MULTILINE)


def known_tests():
    """The names of all tests, as the page writes them."""
    names = set()
    for file in (TESTS / "cli").glob("*.test"):
        names |= {f"cli/{file.stem}: {case}" for case in cases_of(file)}
    for file in (TESTS / "python").glob("test_*.py"):
        names |= {f"python/{file.stem}: {name}"
                  for name in re.findall(r"^ *def (test_\w+)", file.read_text(), re.MULTILINE)}
    for file in TESTS.rglob("*_test.cpp"):
        names |= {f"{suite}.{name}" for suite, name in re.findall(
            r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),\s*(\w+)\)", file.read_text(), re.MULTILINE)}
    for file in (TESTS / "web").rglob("*.mjs"):
        names |= {f"web: {name}"
                  for name in re.findall(r"""^\s*test\(\s*["'](.*?)["'],""", file.read_text(), re.MULTILINE)}
    names |= {f"golden/{file.relative_to(TESTS / 'golden')}"
              for file in (TESTS / "golden").rglob("*.test")}
    for file in TESTS.rglob("CMakeLists.txt"):
        names |= set(re.findall(r"add_test\(NAME (\S+)", file.read_text()))
    return names


def promised_tests(text):
    """Line numbers and test names of the last column of the page's tables of three columns."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) != 5 or cells[3].strip() in ("test", "---"):
            continue
        found = re.findall(r"`([^`]+)`", cells[3])
        for name in found or [""]:
            yield number, name


def failures(text, tests):
    promised = list(promised_tests(text))
    found = [f"docs/reliability.md, line {number}: "
             + (f'no test is named "{name}"' if name else "the line names no test")
             for number, name in promised if name not in tests]
    named = {name for _, name in promised}
    found += [f'docs/reliability.md: no line for "cli/bad_data: {case}"'
              for case in cases_of(TESTS / "cli/bad_data.test")
              if f"cli/bad_data: {case}" not in named]
    return found


def main():
    text, tests = PAGE.read_text(), known_tests()
    found = failures(text, tests)
    # The check itself: a test that is renamed, a line without one and a line that is gone are seen.
    renamed = failures(text.replace("cli/bad_data: an empty file", "cli/bad_data: no such test"), tests)
    assert len(renamed) == len(found) + 2, renamed
    assert len(failures(text + "\n| a fault | nothing | |\n", tests)) == len(found) + 1
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
