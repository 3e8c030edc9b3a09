"""The import wall: which folder of steadycut may import which, and where optional packages may be.

Four rules, read from the syntax tree of every file, each with its table below:

1. ``core`` imports nothing but the standard library, numpy, scipy, itself, ``errors`` and
   ``rule_reader``, which needs the standard library only.
2. Folders import each other one way: core, io, ingest, documents, study, adaptation, show, then
   cli and app. None imports a folder of the repository that is not installed, such as ``paper``.
3. An optional package is imported inside functions, or at the top of the few files that are
   about it.
4. Nothing reaches another module behind the back of these rules: no look into ``sys.modules`` for
   an own or computed name, and no import by a computed name outside a few places.

Imports under ``if TYPE_CHECKING:`` load nothing, so rule 3 lets them pass; rules 1 and 2 do not.

Run as ``python scripts/check_imports.py [PACKAGE_FOLDER]``: one line per violation, exit code 1.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "steadycut"
BASE = frozenset({"numpy", "scipy"})

# What each folder, and each module that stands alone, may import besides itself. Later lines may
# import earlier ones, never the other way.
EDGE = frozenset(
    {"errors", "_kinds", "_version", "rule_reader", "core", "io", "ingest", "documents", "study"}
)
MAY_IMPORT = {
    "errors": frozenset(),
    "_version": frozenset(),
    # Names only, so that the list of commands and `import steadycut` can read it.
    "_kinds": frozenset(),
    "_renderer": frozenset(),
    "rule_reader": frozenset(),
    "core": frozenset({"errors", "rule_reader"}),
    "io": frozenset({"errors", "rule_reader"}),
    "ingest": frozenset({"errors", "rule_reader", "core", "io"}),
    "documents": frozenset(
        {"errors", "_kinds", "_version", "_renderer", "rule_reader", "core", "io", "ingest"}
    ),
    "study": EDGE,
    "adaptation": EDGE,
    "show": EDGE | {"adaptation"},
    "datasets": frozenset({"errors", "core", "io", "ingest"}),
    "estimators": EDGE,
    "pipelines": EDGE,
    "app": EDGE | {"adaptation", "show", "datasets"},
    "cli": EDGE
    | {
        "adaptation",
        "show",
        "datasets",
        "estimators",
        "pipelines",
        "app",
        "rule_reader",
        "__init__",
    },
    "displays": frozenset({"show"}),
    "__main__": frozenset({"errors", "io", "cli"}),
    # `import steadycut` loads nothing else at once: every public name is loaded when it is used.
    "__init__": frozenset({"_kinds", "_version", "_renderer"}),
}

# Folders of the repository that are not in the wheel.
NOT_INSTALLED = frozenset({"benchmarks", "paper", "scripts", "tests"})

# Where an optional package may be imported at the top of a file. Nowhere else: this is all.
TOP_LEVEL_PLACES: dict[str, tuple[str, ...]] = {
    "typer": ("cli/",),
    "click": ("cli/",),
    "sklearn": ("estimators/",),
    "joblib": ("estimators/",),
    "pydantic": ("documents/",),
    "filelock": ("io/",),
    "starlette": ("app/",),
    "uvicorn": ("app/",),
    "h11": ("app/",),
}
NOWHERE = "no file may at the top"
# Where a module may be imported by a name that is computed: public names, commands, figures, and
# the library of a data frame.
BY_NAME = ("__init__.py", "cli/commands.py", "show/figures/__init__.py", "core/frames.py")
TRICK = "reaches a module behind the import wall; import it, or let the package plug it in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One imported module: its dotted name, its line, and when it is loaded."""

    name: str
    line: int
    in_function: bool
    for_types: bool

    @property
    def package(self) -> str:
        """The first part of the dotted name."""
        return self.name.partition(".")[0]

    @property
    def is_eager(self) -> bool:
        """Whether importing the file loads this module too."""
        return not (self.in_function or self.for_types)


def is_own(name: str) -> bool:
    """Say whether a dotted name belongs to this package."""
    return name.partition(".")[0] == PACKAGE


def imported_names(node: ast.AST) -> list[str]:
    """List the dotted names that one statement or call imports."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(level=level) if level > 0:
            return ["." * level + (node.module or "")]
        case ast.ImportFrom(module=str(module), names=names) if is_own(module):
            return [f"{module}.{alias.name}" for alias in names]
        case ast.ImportFrom(module=str(module)):
            return [module]
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name]
    return []


def type_only_children(node: ast.AST) -> list[ast.stmt]:
    """List the statements that an ``if TYPE_CHECKING:`` holds; none for other nodes."""
    match node:
        case ast.If(
            test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), body=body
        ):
            return body
    return []


def find_imports(
    node: ast.AST, *, in_function: bool = False, for_types: bool = False
) -> Iterator[Import]:
    """Yield every import below a node of the syntax tree."""
    for name in imported_names(node):
        line = getattr(node, "lineno", 0)
        yield Import(name=name, line=line, in_function=in_function, for_types=for_types)
    inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    type_only = type_only_children(node)
    for child in ast.iter_child_nodes(node):
        yield from find_imports(
            child, in_function=inside, for_types=for_types or child in type_only
        )


def part_of(parts: tuple[str, ...]) -> str:
    """Name the part of the package to which a path or dotted name (without the root) belongs.

    Examples
    --------
    >>> part_of(("core", "bootstrap", "radius")), part_of(("errors",)), part_of(())
    ('core', 'errors', '__init__')
    """
    return parts[0] if parts else "__init__"


def check_core(found: Import) -> str | None:
    """Rule 1: the core stands on numpy, scipy and the standard library."""
    if found.package in BASE | {PACKAGE} | sys.stdlib_module_names:
        return None
    return f"core may import only the standard library, numpy and scipy, not {found.package}"


def check_direction(part: str, found: Import) -> str | None:
    """Rule 2: parts import each other one way."""
    if part not in MAY_IMPORT:
        return f"{part} has no place in the house; put it into one of the folders"
    if found.package in NOT_INSTALLED:
        return f"steadycut may not import {found.package}, which is not installed with it"
    if found.package != PACKAGE or (part == "__init__" and not found.is_eager):
        return None
    target = part_of(tuple(found.name.split(".")[1:]))
    if target == part or target in MAY_IMPORT[part]:
        return None
    return f"{part} may not import {found.name}; allowed: " + ", ".join(sorted(MAY_IMPORT[part]))


def check_place(path: str, found: Import) -> str | None:
    """Rule 3: an optional package is imported lazily, or in its own place."""
    if not found.is_eager or found.package in BASE | {PACKAGE} | sys.stdlib_module_names:
        return None
    places = TOP_LEVEL_PLACES.get(found.package, ())
    if path.startswith(places):
        return None
    where = f"only {' and '.join(places)} may import it at the top" if places else ""
    return f"import {found.package} inside the function that needs it ({where or NOWHERE})"


def check_import(path: str, found: Import) -> str | None:
    """Say what is wrong with one import of the file at ``path``, or return None."""
    if found.name.startswith("."):
        return f"relative import {found.name}; write {PACKAGE}. in full"
    part = part_of(Path(path).with_suffix("").parts)
    if part == "core" and (wrong := check_core(found)):
        return wrong
    return check_direction(part, found) or check_place(path, found)


def is_module_table(node: ast.AST) -> bool:
    """Say whether a node is ``sys.modules``."""
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
            return True
    return False


def is_foreign(node: ast.AST) -> bool:
    """Say whether a node is the written name of a module that is not ours."""
    return isinstance(node, ast.Constant) and not is_own(str(node.value))


def is_trick(node: ast.AST) -> bool:
    """Say whether a node reaches a module by a way that rules 1 to 3 do not see."""
    match node:
        case ast.Subscript(value=table, slice=key) if is_module_table(table):
            return not is_foreign(key)
        case ast.Call(func=ast.Attribute(value=table), args=[*keys]) if is_module_table(table):
            return not (keys and is_foreign(keys[0]))
        case ast.ImportFrom(module="sys", names=names):
            return any(alias.name == "modules" for alias in names)
        case ast.Assign(value=value):
            return is_module_table(value)
    return False


def is_computed_import(part: str, node: ast.AST) -> bool:
    """Say whether a node imports a module by a computed name that may be outside ``part``."""
    match node:
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
            args=[name, *_],
        ):
            return not isinstance(name, ast.Constant) and not begins_in(part, name)
    return False


def begins_in(part: str, name: ast.AST) -> bool:
    """Say whether a computed name begins with a folder that ``part`` is, or may import."""
    match name:
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]):
            _, *folders, _ = start.split(".") if start.startswith(f"{PACKAGE}.") else (0, 0)
            return bool(folders) and folders[0] in MAY_IMPORT.get(part, frozenset()) | {part}
    return False


def find_tricks(path: str, tree: ast.Module) -> Iterator[int]:
    """Yield the line of every trick in the file at ``path``: rule 4."""
    part = part_of(Path(path).with_suffix("").parts)
    for node in ast.walk(tree):
        if is_trick(node) or (path not in BY_NAME and is_computed_import(part, node)):
            yield getattr(node, "lineno", 0)


def check_file(root: Path, file: Path) -> Iterator[str]:
    """Yield one line for every violation in one file of the package folder ``root``."""
    path = file.relative_to(root).as_posix()
    tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
    for found in find_imports(tree):
        if wrong := check_import(path, found):
            yield f"{PACKAGE}/{path}:{found.line}: {wrong}"
    for line in find_tricks(path, tree):
        yield f"{PACKAGE}/{path}:{line}: {TRICK}"


def main(arguments: list[str]) -> int:
    """Check the package of this repository, or the folder given."""
    here = Path(__file__).resolve().parent.parent / "src" / PACKAGE
    root = Path(arguments[0]) if arguments else here
    if not root.is_dir():
        print(f"No such folder: {root}", file=sys.stderr)
        return 2
    violations = [line for file in sorted(root.rglob("*.py")) for line in check_file(root, file)]
    print("\n".join(violations), end="\n" if violations else "")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
