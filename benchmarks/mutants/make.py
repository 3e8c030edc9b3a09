"""Make the mutants of a module with mutmut: it then holds them all, and one is switched on.

mutmut copies a function once for each small change to it (``<`` to ``<=``, an argument dropped, a
number one larger, ...) and puts a switch in its place. Left alone are, because no test of the
mathematics could or should tell the difference:

- docstrings, comments, annotations and the first argument of ``cast``;
- texts for people: what is raised (``raise`` and the ``msg`` before it), strings with a space, and
  the name that a ``check_...`` function puts into its text. The condition under which something
  is raised is mutated;
- ``strict=True`` of ``zip``: a check that cannot fail in correct code;
- everything that runs on import, before a mutant can be switched on: constants, tables, defaults
  of a record's fields, decorators;
- the arguments of ``len`` and ``isinstance`` (mutmut's choice).

mutmut passes over decorated functions. Properties and cached functions are part of the
mathematics, so their bodies are moved into functions of their own first.
"""

import re
from dataclasses import dataclass

import libcst as cst
from libcst import matchers as m
from mutmut.mutation.file_mutation import MutationVisitor, combine_mutations_to_source
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

BODY = "body_of_"
KEPT = m.Name("staticmethod") | m.Name("classmethod") | m.Name("abstractmethod")
MESSAGE = m.Assign(targets=[m.AssignTarget(m.Name("msg"))])
NAMES_FIRST = m.Call(m.Name(m.MatchIfTrue(lambda name: name.startswith(("check_", "cast")))))
STRICT = m.Arg(keyword=m.Name("strict"))


@dataclass(frozen=True)
class Mutant:
    """``name`` switches it on; ``key`` says what it changes, whatever else the module holds."""

    name: str
    key: str

    @property
    def module(self):
        return self.name.rpartition(".")[0]


def mutate(module, source):
    """Return the source of ``module`` with all its mutants in it, and the mutants."""
    tree = cst.MetadataWrapper(cst.parse_module(source).visit(MoveBodies()))
    visitor = CoreVisitor()
    made = combine_mutations_to_source(tree.visit(visitor), visitor.mutations)
    lines = made.code.splitlines()
    spans = made.line_span_by_function_name
    copies = {name: lines[span.start - 1 : span.end] for name, span in spans.items()}
    return made.code, _with_keys(module, made.mutant_names, copies)


class MoveBodies(cst.CSTTransformer):
    """Give a decorated function a body that mutmut mutates: a function without a decorator."""

    def visit_ClassDef(self, node):  # noqa: N802, libcst's name
        return not m.matches(
            node, m.ClassDef(decorators=[m.Decorator(m.Name("runtime_checkable"))])
        )

    def leave_FunctionDef(self, original_node, updated_node):  # noqa: N802, libcst's name
        decorators = [decorator.decorator for decorator in original_node.decorators]
        if not decorators or any(m.matches(name, KEPT) for name in decorators):
            return updated_node
        name = BODY + original_node.name.value
        body = updated_node.with_changes(name=cst.Name(name), decorators=[])
        call = cst.parse_statement(f"return {_call(name, original_node.params)}")
        dressed = updated_node.with_changes(body=cst.IndentedBlock([call]))
        return cst.FlattenSentinel([body, dressed])


def _call(name, params):
    names = [param.name.value for param in params.params]
    keywords = [f"{param.name.value}={param.name.value}" for param in params.kwonly_params]
    if names[:1] == ["self"]:
        return f"self.{name}({', '.join(names[1:] + keywords)})"
    return f"{name}({', '.join(names + keywords)})"


class CoreVisitor(MutationVisitor):
    """mutmut's mutations, without those that the module's docstring names."""

    def __init__(self):
        super().__init__(mutation_operators, IgnoredCode(set(), set(), set()))
        self.left_alone = []

    def on_visit(self, node):
        if _is_for_people(node) or any(node is arg for arg in self.left_alone):
            return False
        if isinstance(node, cst.Call):
            self.left_alone = [*self.left_alone, *_without_result(node)]
        before = len(self.mutations)
        deeper = super().on_visit(node)
        self.mutations[before:] = [
            one for one in self.mutations[before:] if not self._changes_left_alone(one)
        ]
        return deeper

    def _changes_left_alone(self, mutation):
        old, new = mutation.original_node, mutation.mutated_node
        if not isinstance(old, cst.Call):
            return False
        kept = [*new.args, None]
        changed = next(
            (arg for arg, now in zip(old.args, kept, strict=False) if arg is not now), None
        )
        return any(changed is arg for arg in self.left_alone)


def _is_for_people(node):
    if isinstance(node, cst.SimpleString):
        return " " in node.value
    return isinstance(node, cst.Raise) or (
        isinstance(node, cst.Assign) and m.matches(node, MESSAGE)
    )


def _without_result(call):
    """Return the arguments that change a text, a check or a type, and never a result."""
    first = call.args[:1] if m.matches(call, NAMES_FIRST) else ()
    return [*first, *(arg for arg in call.args if m.matches(arg, STRICT))]


def _with_keys(module, names, copies):
    seen, mutants = {}, []
    for name in names:
        function, _, _ = name.partition("__mutmut_")
        change = _change(copies[f"{function}__mutmut_orig"], copies[name])
        key = f"{_readable(module, function)}: {change}"
        seen[key] = seen.get(key, 0) + 1
        again = f" ({seen[key]})" if seen[key] > 1 else ""
        mutants.append(Mutant(f"{module}.{name}", key + again))
    return mutants


def _readable(module, function):
    """``cuts/grid.Cuts.n_patients``, where mutmut says ``xǁCutsǁbody_of_n_patients``."""
    inner = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".").replace(BODY, "")
    return f"{module.removeprefix('steadycut.core.').replace('.', '/')}.{inner}"


def _change(old, new):
    """Return the lines that differ, on one line: ``a < b -> a <= b``."""
    old, new = _body(old), _body(new)
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return f"{_one_line(old)} -> {_one_line(new)}"


def _body(lines):
    return [re.sub(r"\bx[_ǁ]\S*__mutmut_\w+\(", "def(", line) for line in lines]


def _one_line(lines):
    return " ".join(line.strip() for line in lines)
