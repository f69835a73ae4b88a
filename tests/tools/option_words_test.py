"""Messages of the library name options through option_text.h alone, so that they fit whoever reads them."""
import re
import sys
from pathlib import Path

source = Path(__file__).resolve().parents[2] / "src"
literal = re.compile(r'"(?:[^"\\]|\\.)*"')
# The one place that knows flags; and a variable of CSS.
known = {"base/option_text.cpp": None, "report/svg_tree.cpp": "--tree-width"}


def flags_in(line: str) -> list[str]:
    line = re.sub(r"^\s*//.*", "", line)
    return [flag for text in literal.findall(line) for flag in re.findall(r"(?<![\w-])--[a-z{][\w-]*", text)]


found = []
for file in sorted([*source.rglob("*.cpp"), *source.rglob("*.h")]):
    name = file.relative_to(source).as_posix()
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        flags = [flag for flag in flags_in(line) if name not in known or known[name] not in (None, flag)]
        found += [f"src/{name}:{number}: {flag}; write it with option_text()" for flag in flags]

assert flags_in('fail("use --force or --no-scale");') == ["--force", "--no-scale"]
assert flags_in('format("--{} {}", name, value);') == ["--{"]
assert flags_in('  // "--force"') == []
print("\n".join(found))
sys.exit(1 if found else 0)
