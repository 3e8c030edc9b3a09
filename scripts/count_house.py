"""Count the things that keep the house simple, and fail when one of them exceeds its limit.

Every count is read from the syntax trees of the files; nothing is imported. `LIMITS` says what is
counted and how large each count may be. Eager, lazy and type-checking imports all count as imports.

Run as ``python scripts/count_house.py [--list] [PACKAGE_FOLDER]``. It prints one line per count.
For a count above its limit (with ``--list``: for every count) it also prints what was found. The
exit code is 1 if a count is above its limit.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from check_imports import PACKAGE, find_imports, find_tricks

# The largest allowed value of each count, and the value that it has to reach. Lower a limit as soon
# as the count allows it; never raise one.
LIMITS: dict[str, int] = {
    "modules in import cycles": 0,
    "modules in the largest folder": 25,
    "dict[str, Any] in show": 0,
    "dict[str, Any] below show": 10,
    "lazy imports of own modules": 0,
    "isinstance on kinds": 0,
    "top-level modules out of place": 0,
    "upward tricks": 0,
    "sentences below show": 0,
    "placeholder names": 155,
    "code lines": 34_834,
}
# A limit that is so much above its count should be lowered.
SLACK = 50

AT_THE_TOP = {
    *("__init__", "__main__", "_kinds", "_renderer", "_version"),
    *("displays", "errors", "rule_reader"),
}
# These load own modules when they are first used: the public names, and the command that was typed.
MAY_BE_LAZY = {"__init__.py", "cli/main.py"}
MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping"}
# Names that say nothing about the thing; it has a noun.
PLACEHOLDERS = {"one", "found", "told", "shown"}
BELOW_SHOW = ("documents", "study", "adaptation")
NOT_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One count: its value, and one line for each thing that was counted."""

    value: int
    found: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One file: its path in the package, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        """The folder that holds the file; ``.`` for the package itself."""
        return Path(self.path).parent.as_posix()


def dotted(path: str) -> str:
    """Return the dotted name of the module at a path in the package.

    Examples
    --------
    >>> dotted("core/cuts/grid.py"), dotted("core/__init__.py"), dotted("__init__.py")
    ('steadycut.core.cuts.grid', 'steadycut.core', 'steadycut')
    """
    parts = Path(path).with_suffix("").parts
    return ".".join((PACKAGE, *(part for part in parts if part != "__init__")))


def read_modules(root: Path) -> dict[str, Module]:
    """Read every file of a package folder, by dotted name."""
    modules = {}
    for file in sorted(root.rglob("*.py")):
        path, text = file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
        tree = ast.parse(text, filename=str(file))
        modules[dotted(path)] = Module(path=path, text=text, tree=tree)
    return modules


def own_module(name: str, modules: Mapping[str, Module]) -> str | None:
    """Return the module in which an imported name lives, or None if it is not ours."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


# Import cycles -----------------------------------------------------------------------------


def import_graph(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Return the own modules that each module imports, at any time and for any purpose."""
    return {
        name: {
            target
            for found in find_imports(module.tree)
            if (target := own_module(found.name, modules)) not in {None, name}
        }
        for name, module in modules.items()
    }


def reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Return every module that can be reached from one, itself only through a cycle."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found


def count_cycles(modules: Mapping[str, Module]) -> Count:
    """Count modules that import themselves through others, and list the imports that do it."""
    graph = import_graph(modules)
    reached = {name: reachable(graph, name) for name in graph}
    in_cycles = [name for name in graph if name in reached[name]]
    found = [
        f"{name} imports {target}"
        for name in in_cycles
        for target in sorted(graph[name])
        if name in reached[target]
    ]
    return Count(value=len(in_cycles), found=found)


# Folders -----------------------------------------------------------------------------------


def count_folders(modules: Mapping[str, Module]) -> Count:
    """Count the files of the largest folder, its ``__init__.py`` included."""
    sizes = Counter(module.folder for module in modules.values())
    found = [f"{folder}: {size} modules" for folder, size in sizes.most_common()]
    return Count(value=max(sizes.values(), default=0), found=found)


def count_top_level(modules: Mapping[str, Module]) -> Count:
    """Count files that should be in one of the folders."""
    found = [
        f"{module.path} belongs into a folder"
        for module in modules.values()
        if module.folder == "." and Path(module.path).stem not in AT_THE_TOP
    ]
    return Count(value=len(found), found=found)


# Untyped mappings --------------------------------------------------------------------------


def last_name(node: ast.AST) -> str:
    """Return ``Any`` for ``Any`` and ``typing.Any``; the empty string for other nodes."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def is_untyped(node: ast.AST | None) -> bool:
    """Say whether a node is ``dict[str, Any]`` or another mapping from text to anything."""
    match node:
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[key, content])):
            names = last_name(key), last_name(content)
            return last_name(value) in MAPPINGS and names == ("str", "Any")
    return False


def untyped_aliases(module: Module) -> set[str]:
    """List the names that a module gives to such a mapping, as in ``Content = dict[str, Any]``."""
    names: set[str] = set()
    for node in module.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_untyped(value):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if is_untyped(value):
                names.add(name)
    return names


def known_aliases(module: Module, modules: Mapping[str, Module]) -> set[str]:
    """List the aliases that a module defines or imports from another of our modules."""
    names = untyped_aliases(module)
    for found in find_imports(module.tree):
        source, _, name = found.name.rpartition(".")
        if source in modules and name in untyped_aliases(modules[source]):
            names.add(name)
    return names


def count_untyped(modules: Mapping[str, Module], folders: tuple[str, ...]) -> Count:
    """Count the mappings from text to anything in some folders, also under another name."""
    found = []
    for module in modules.values():
        if Path(module.path).parts[0] not in folders:
            continue
        aliases = known_aliases(module, modules)
        found += [
            f"{module.path}:{node.lineno}: {ast.unparse(node)}"
            for node in ast.walk(module.tree)
            if (
                isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in aliases
            )
            or (isinstance(node, ast.Subscript) and is_untyped(node))
        ]
    return Count(value=len(found), found=found)


# Lazy imports ------------------------------------------------------------------------------


def calls_by_name(module: Module) -> bool:
    """Say whether a module calls ``import_module`` with a name that is found out at run time."""
    return any(
        isinstance(node, ast.Call)
        and last_name(node.func) in {"import_module", "__import__"}
        and not isinstance(node.args[0], ast.Constant)
        for node in ast.walk(module.tree)
    )


def lazy_lines(module: Module, modules: Mapping[str, Module]) -> Iterator[tuple[int, str]]:
    """Yield line and name of each own module that a module imports when it is first used."""
    for found in find_imports(module.tree):
        target = own_module(found.name, modules)
        if found.in_function and target is not None:
            yield found.line, target
    by_name = calls_by_name(module)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            # The entries of a table: module:name, or a module in a file that imports by name.
            name, colon, attribute = node.value.partition(":")
            if name in modules and (attribute.isidentifier() if colon else by_name):
                yield node.lineno, name


def count_lazy(modules: Mapping[str, Module]) -> Count:
    """Count imports of own modules inside functions or by name, one per line and module."""
    found = [
        f"{module.path}:{line}: {name}"
        for module in modules.values()
        if module.path not in MAY_BE_LAZY
        for line, name in sorted(set(lazy_lines(module, modules)))
    ]
    return Count(value=len(found), found=found)


# Kinds of frozen files ---------------------------------------------------------------------


def class_names(modules: Mapping[str, Module]) -> set[str]:
    """List the classes of the kinds: those that ``_kinds`` names, and their documents."""
    table = modules.get(f"{PACKAGE}._kinds")
    texts = [
        node.value
        for node in ast.walk(table.tree if table else ast.Module([], []))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    places = [text.partition(":") for text in texts if re.fullmatch(r"[\w.]+:\w+", text)]
    names = {name for _, _, name in places if name[0].isupper()}
    for module, _, _ in places:
        own = modules.get(f"{PACKAGE}.documents.{module}")
        found = ast.walk(own.tree) if own else ()
        names |= {node.name for node in found if isinstance(node, ast.ClassDef)}
    return names


def tested_types(node: ast.AST) -> list[ast.expr | ast.pattern]:
    """List the types that a node compares something with."""
    match node:
        case ast.Call(func=func, args=[_, types]) if last_name(func) in {
            "isinstance",
            "issubclass",
        }:
            return [types]
        case ast.MatchClass(cls=cls):
            return [cls]
    return []


def count_on_kinds(modules: Mapping[str, Module]) -> Count:
    """Count tests for the class of one kind of frozen file, its document or its study."""
    names = class_names(modules)
    found = [
        f"{module.path}:{types.lineno}: {ast.unparse(node).splitlines()[0]}"
        for module in modules.values()
        for node in ast.walk(module.tree)
        for types in tested_types(node)
        if names & {last_name(part) for part in ast.walk(types)}
    ]
    return Count(value=len(found), found=found)


# Names -------------------------------------------------------------------------------------


def named_by(node: ast.AST) -> str:
    """Return the name that a node gives to a variable or a parameter; "" for other nodes."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return name
        case ast.arg(arg=name):
            return name
    return ""


def count_placeholders(modules: Mapping[str, Module]) -> Count:
    """Count assignments, loop variables and parameters that have a placeholder for a name."""
    places = [
        f"{module.path}:{node.lineno}: {named_by(node)}"
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name | ast.arg) and named_by(node) in PLACEHOLDERS
    ]
    return Count(value=len(places), found=places)


def count_tricks(modules: Mapping[str, Module]) -> Count:
    """Count the ways to a module that the import wall does not see."""
    found = [
        f"{module.path}:{line}"
        for module in modules.values()
        for line in find_tricks(module.path, module.tree)
    ]
    return Count(value=len(found), found=found)


# Sentences ---------------------------------------------------------------------------------

# These hold facts; `show` makes the sentences.
HOLD_FACTS = ("core/", "io/", "ingest/", "documents/", "study/", "adaptation/")
SENTENCE = re.compile(r"\w,? \w[^.]*[^\W\d_]{2}[)'\"]?[.?](\s|$)")
# What takes or makes the text of an error or a warning, and what that text is called until then.
REFUSING = {"refusing", "refuse", "Warned", "Finding", "must", "newer_version", "_no_header"}
REFUSED = {"msg", "must_be", "advice", "NO_JAVA", "STOPPED"}
ERROR = re.compile("(Bad|Missing|TooFew|Lost|Deployment|Patient)[A-Z][a-z]+")


def is_refusal(node: ast.AST) -> bool:
    """Say whether the texts below a node are those of an error or a warning, or are no texts."""
    match node:
        case ast.Raise() | ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef(name=name):
            return name == "__repr__" or name in REFUSING
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name in REFUSED
        case ast.Call(func=ast.Call(func=ast.Attribute(value=func))) | ast.Call(func=func):
            return last_name(func) in REFUSING or bool(ERROR.fullmatch(last_name(func)))
    return False


def written(node: ast.AST) -> str | None:
    """Return a text as it is written, with a letter for each value; None for other nodes."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(written(part) or "x" for part in values)
    return None


def find_sentences(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every sentence below a node, except those of errors and warnings."""
    if is_refusal(node):
        return
    text = written(node)
    if text is not None:
        if SENTENCE.search(text):
            yield getattr(node, "lineno", 0), text
        return
    for child in ast.iter_child_nodes(node):
        yield from find_sentences(child)


def count_sentences(modules: Mapping[str, Module]) -> Count:
    """Count the sentences in the folders below ``show`` that a person reads.

    A sentence is a text of several words with a full stop or question mark after one. Docstrings do
    not count, nor does what an object shows of itself (``__repr__``). The texts of errors and
    warnings do not count either: they are written where the error is raised, or given to `Warned`
    or to a function that refuses, perhaps by the name ``msg``.
    """
    found = [
        f"{module.path}:{line}: {text[:60]!r}"
        for module in modules.values()
        if module.path.startswith(HOLD_FACTS)
        for line, text in find_sentences(module.tree)
    ]
    return Count(value=len(found), found=found)


# Lines -------------------------------------------------------------------------------------


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of all docstrings."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def code_lines(module: Module) -> int:
    """Count lines of one file without blank lines, comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring_lines(module.tree))


def count_lines(modules: Mapping[str, Module]) -> Count:
    """Count the lines of code, and list them by folder."""
    sizes: Counter[str] = Counter()
    for module in modules.values():
        sizes[Path(module.path).parts[0]] += code_lines(module)
    return Count(
        value=sum(sizes.values()), found=[f"{part}: {n}" for part, n in sizes.most_common()]
    )


# Docstrings of packages --------------------------------------------------------------------


def listed_modules(text: str) -> set[str]:
    r"""Return the first column of the tables in a docstring, where each name has two backquotes.

    Examples
    --------
    >>> sorted(listed_modules("``grid``  the cuts that are tried\n``Grid`` is a class"))
    ['grid']
    """
    return set(re.findall(r"^``([^`]+)`` {2,}", text, flags=re.MULTILINE))


def writes_docstring(module: Module) -> bool:
    """Say whether a module assigns its own ``__doc__``."""
    names = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name)]
    return any(name.id == "__doc__" and isinstance(name.ctx, ast.Store) for name in names)


def modules_of_kinds(modules: Mapping[str, Module]) -> set[str]:
    """Return the modules that ``_kinds`` enters."""
    table = modules.get(f"{PACKAGE}._kinds")
    entered: set[str] = set()
    for node in ast.walk(table.tree if table else ast.Module([], [])):
        match node:
            case ast.keyword(arg="rule" | "study", value=ast.Constant(value=str(place))):
                entered.add(f"documents.{place.partition(':')[0]}")
            case ast.keyword(arg="fitted", value=ast.Constant(value=str(place))):
                entered.add(place.partition(":")[0])
            case ast.keyword(arg="command", value=ast.Constant(value=str(name))):
                entered.add(f"cli.{name}")
    return {f"{PACKAGE}.{name}" for name in entered}


def wrong_lists(root: Path) -> dict[str, list[str]]:
    """Return, by package, how the list of modules in its docstring differs from its files.

    Folders count as modules. Names that begin with an underscore need not be listed, and neither
    need the modules that ``_kinds`` enters. A package that writes its ``__doc__`` when it is loaded
    makes the list itself.
    """
    modules, wrong = read_modules(root), {}
    entered = modules_of_kinds(modules)
    for package in sorted({dotted(f"{module.folder}/__init__.py") for module in modules.values()}):
        if package in modules and writes_docstring(modules[package]):
            continue
        text = ast.get_docstring(modules[package].tree) if package in modules else None
        listed = listed_modules(text or "")
        parts = {name.rpartition(".")[2] for name in modules if name.rpartition(".")[0] == package}
        missing = sorted(
            part
            for part in parts - listed
            if not part.startswith("_") and f"{package}.{part}" not in entered
        )
        unknown = sorted(f"no module {part}" for part in listed - parts)
        wrong[package] = missing + unknown
    return {package: names for package, names in wrong.items() if names}


# All of it ---------------------------------------------------------------------------------

COUNTERS: dict[str, Callable[[Mapping[str, Module]], Count]] = {
    "modules in import cycles": count_cycles,
    "modules in the largest folder": count_folders,
    "dict[str, Any] in show": partial(count_untyped, folders=("show",)),
    "dict[str, Any] below show": partial(count_untyped, folders=BELOW_SHOW),
    "lazy imports of own modules": count_lazy,
    "isinstance on kinds": count_on_kinds,
    "top-level modules out of place": count_top_level,
    "upward tricks": count_tricks,
    "sentences below show": count_sentences,
    "placeholder names": count_placeholders,
    "code lines": count_lines,
}


def note_on(value: int, limit: int) -> str:
    """Say that a count is above its limit, or so far below that the limit should be lowered.

    Examples
    --------
    >>> note_on(101, 100), note_on(100, 100), note_on(40, 100)
    ('  BROKEN', '', '  (lower the limit to 40)')
    """
    if value > limit:
        return "  BROKEN"
    return f"  (lower the limit to {value})" if value < limit - SLACK else ""


def main(arguments: list[str]) -> int:
    """Count in the package of this repository, or in the folder given."""
    here = Path(__file__).resolve().parent.parent / "src" / PACKAGE
    folders = [Path(word) for word in arguments if word != "--list"]
    root = folders[0] if folders else here
    if not root.is_dir():
        print(f"No such folder: {root}", file=sys.stderr)
        return 2
    modules, broken = read_modules(root), 0
    for name, limit in LIMITS.items():
        count = COUNTERS[name](modules)
        above = count.value > limit
        broken += above
        print(f"{name:<32}{count.value:>6,}  at most {limit:,}{note_on(count.value, limit)}")
        if above or "--list" in arguments:
            print("".join(f"    {line}\n" for line in count.found), end="")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
