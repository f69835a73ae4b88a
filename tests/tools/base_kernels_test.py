"""A base kernel is one file: no other code of the program knows one by its name."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "src" / "kernels"

# Whoever means this very kernel, and no other, says so here.
ALLOWED = {
    "src/baselines/rbf_posterior.cpp": {"SE"},  # the baseline is an RBF
    "apps/paper/kernel_kernel_time.cpp": {"SE"},  # any kernel to measure with
}


def kernels():
    found = {}
    for path in sorted((KERNELS / "base_kernels").glob("*.cpp")):
        text = path.read_text()
        found[re.search(r'\.name = "(\w+)"', text)[1]] = re.search(r"BaseKernel (\w+) =", text)[1]
    return found


def mentions(text, names, quotes='"'):
    """String literals that are a base kernel's name, and objects of the registry."""
    words = "|".join(names)
    literals = re.findall(rf"[{quotes}]({words})(?:_\d+)?[{quotes}]", text)
    objects = re.findall(rf"registry::({'|'.join(names.values())})\b", text)
    by_object = {value: name for name, value in names.items()}
    return {*literals, *(by_object[name] for name in objects)}


def main():
    names = kernels()
    assert len(names) >= 6, names
    assert mentions('if (name == "SE") x = &registry::linear;', names) == {"SE", "LIN"}
    registry = (KERNELS / "registry.h").read_text()
    wrong = [name for name, value in names.items() if f"kernel({value})" not in registry]
    wrong = [f"{name} is not in the registry" for name in wrong]
    for folder, endings in (("src", ("cpp", "h")), ("apps", ("cpp", "h")), ("include", ("h",)),
                            ("python/bindings", ("cpp", "h")), ("python/covary", ("py",))):
        for ending in endings:
            for path in sorted((ROOT / folder).rglob(f"*.{ending}")):
                if KERNELS in path.parents:
                    continue
                name = path.relative_to(ROOT).as_posix()
                is_python = ending == "py"
                comment = r"#.*|.*>>>.*|\.\.\. .*" if is_python else r'//.*|extern "C"'
                code = re.sub(comment, "", path.read_text())
                found = mentions(code, names, "\"'" if is_python else '"')
                for word in sorted(found - ALLOWED.get(name, set())):
                    wrong.append(f"{name} knows {word} by its name; let the kernel's file say it")
    print("\n".join(wrong) or f"{len(names)} base kernels, each known by its own file alone")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
