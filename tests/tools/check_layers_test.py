"""The layer check must find what it is there to find: each case breaks one rule in a small tree."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools/check_layers"
LAYERS = {
    "base": {"uses": [], "headers": ["error.h"]},
    "linalg": {"uses": [], "headers": []},
    "expression": {"uses": [], "headers": ["expression.h"]},
    "grammar": {"uses": ["expression"], "headers": ["grammar.h"]},
}
FILES = {
    "include/covary/error.h": "",
    "include/covary/expression.h": "#include <covary/error.h>\n",
    "include/covary/grammar.h": "#include <covary/expression.h>\n",
    "src/base/error.cpp": "#include <covary/error.h>\n",
    "src/linalg/cholesky.cpp": '#include "base/clock.h"\n#include <vector>\n',
    "src/expression/parser.cpp": '#include "expression/syntax.h"\n',
    "src/grammar/grammar.cpp": '#include "expression/syntax.h"\n',
    "apps/covary/main.cpp": '#include "commands.h"\n#include <covary/grammar.h>\n',
}
CASES = {  # file to change, its new text, and a part of the complaint (none: it is fine)
    "a clean tree": ("src/base/error.cpp", "", None),
    "upward": ("src/expression/parser.cpp", '#include "grammar/grammar.h"\n',
               "src/expression/parser.cpp:1: expression/ may not use grammar/"),
    "sideways": ("src/linalg/cholesky.cpp", '\n#include "expression/syntax.h"\n',
                 "src/linalg/cholesky.cpp:2: linalg/ may not use expression/"),
    "upward through a public header": (
        "include/covary/error.h", "#include <covary/grammar.h>\n", "base/ may not use grammar/"),
    "below base": ("src/base/error.cpp", '#include "linalg/cholesky.h"\n',
                   "base/ may not use linalg/"),
    "unnamed folder": ("src/util/x.cpp", "", "src/util: no such layer"),
    "header without layer": ("include/covary/new.h", "", "new.h: no layer"),
    "app reaching inside": ("apps/covary/main.cpp", '#include "expression/syntax.h"\n',
                            "programs use only <covary/...>"),
    "bindings reaching inside": ("python/bindings/module.cpp", '#include "expression/syntax.h"\n',
                                 "use only <covary/...>"),
    "the paper's experiments reaching inside": (
        "apps/paper/main.cpp", '#include "expression/syntax.h"\n', None),
    "include without folder": ("src/grammar/grammar.cpp", '#include "walk.h"\n',
                               'write "grammar/walk.h"'),
    "layer without README": ("src/grammar/README.md", None, "src/grammar: no README.md"),
    "layer that uses a later one": (
        "docs/layers.json",
        json.dumps({"layers": {**LAYERS, "linalg": {"uses": ["grammar"], "headers": []}}}),
        "linalg uses grammar, which is not below it"),
}


def run_case(file, text):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        files = {**FILES, "docs/layers.json": json.dumps({"layers": LAYERS}),
                 **{f"src/{name}/README.md": "" for name in LAYERS}, file: text}
        for name, content in files.items():
            if content is not None:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content, encoding="utf-8")
        return subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True,
                              check=False)


def main():
    failed = 0
    for name, (file, text, complaint) in CASES.items():
        result = run_case(file, text)
        good = (result.returncode == 0 and not result.stdout if complaint is None
                else result.returncode == 1 and complaint in result.stdout)
        if not good:
            failed += 1
            print(f"{name}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
