"""Compare every number on the pages with the stored result that it comes from, or write it anew.

A comment below a text names the source of all numbers since the last such comment:

    <!-- settings: 200, 15 % -->
    <!-- figures: survival.any.nobody.exact_holds, min(row.held for row in monitor.rows) -->

Settings are numbers that somebody chose. All other numbers are figures: the comment lists them in
their order, as Python expressions of files in benchmarks/results (`survival` is survival.json,
`speed_text` is speed.md or speed.txt). A list counts as its members, None as no number. A share
that is shown in % is multiplied by 100. A number must be the stored value, rounded as it is shown.

`quoted: NAME` stands below sentences that repeat a stored text (paper_rerun/table.md): their
numbers must be in that text, and a seal says that neither has changed since. A stored text stands
whole between `include: NAME` and `end`; with `NAME#HEADING`, the part below that heading.

Code, links, headings without decimals and percentages, and years are not read. A decimal or
percentage must stand apart: `0.9/0.8`, `n=0.9`, `1.5x` and `.9` are faults. Pages of evidence are
read whole. On other pages decimals, percentages, `N times` and `N of M` are read, and whole rows of
tables with such numbers, unless code of the page that tests/docs runs shows them.

Run: python scripts/write_figures.py [--check] [PAGE...]
"""

import ast
import json
import re
import statistics
import sys
import zlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from write_pages import REPOSITORY, blocks, notes, pages

RESULTS = REPOSITORY / "benchmarks" / "results"
EVIDENCE = {"evidence", "notes", "reliability", "speed", "transport", "validation"}
SOURCE = re.compile(r"(?:<!-- (?:figures|settings|quoted):(?:(?!-->).)*-->\s*)+", re.DOTALL)
PART = re.compile(r"<!-- (figures|settings|quoted):(.*?)-->", re.DOTALL)
NUMBER = re.compile(
    r"(?<![\w.,/^'=:-])(?P<number>[-+]?\d[\d,]*(?<!,)(?:\.\d+)?(?:e[-+]?\d+)?)(?![\w^]|[.,/:]\d)"
    r"(?P<percent>(?=(?:(?:,| and| to| or| against) [-+]?\d(?:[\d.,]*\d)?)* ?(?:%|per ?cent)))?"
)
FENCE = re.compile(r"^ *```.*$")
QUOTED = re.compile(r"<!-- quoted: (\S+)(?: \w+)? -->")
# Languages of code that tests/docs run and compare.
RUN = {"python", "console"}
NUMERAL = re.compile(r"-?\d+(?:\.\d+)?")
INCLUDED = re.compile(r"<!-- include: ([^#\n]+)(#?)([^\n]*) -->\n.*?<!-- end -->", re.DOTALL)
# What is included, and what scripts/write_paper_rerun.py, benchmarks.trust and
# scripts/write_readme.py write. Other tests compare these.
WRITTEN = re.compile(
    r"<!-- include: [^\n]* -->\n.*?<!-- end -->|<!-- ([\w-]+) -->.*?<!-- end of \1 -->"
    r"|<!-- tables: begin -->.*?<!-- tables: end -->"
    r"|^```\nsteadycut .*?^```\n\n```\n.*?^```$",
    re.DOTALL | re.MULTILINE,
)
NOT_READ = re.compile(
    r"<!--.*?-->|`+[^`]+`+|\]\([^)]*\)|^#+ (?:(?!\d\.\d|\d ?%)[^\n])*$"
    r"|(?<![\d.,])(?:19|20)\d\d(?![\d%]|[.,]\d)|(?<=Python )[\d.]+",
    re.DOTALL | re.MULTILINE,
)
# A part of something, and what follows a multiple.
PART_OF = re.compile(r"(?<![\w.,])(\d[\d,]*)\s(?:of|in)\s(?:the\s)?(\d[\d,]*)")
TIMES = re.compile(r"\stimes\b")
RESULT_ROW = re.compile(r"\d\.\d|\d ?%")
# A decimal or percentage, but not a version (4.2.2), an exponent or quantile:0.9.
CLAIM = re.compile(
    r"(?<![\d.^])(?<!quantile:)(?:\d[\d,]*)?\.\d+(?!\.?\d)|(?<![\d.,])\d[\d.,]* ?(?:%|per ?cent)"
)


def where(rows: Iterable[dict[str, Any]], **wanted: object) -> list[dict[str, Any]]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def cells(rows: Iterable[dict[str, Any]], *columns: str) -> list[Any]:
    """Return these columns of a table, row by row."""
    return [row[column] for row in rows for column in columns]


USED = (abs, float, len, list, max, min, range, round, sorted, sum, zip, where, cells)
FUNCTIONS = {function.__name__: function for function in USED} | {
    "mean": statistics.fmean,
    "median": statistics.median,
    "gmean": statistics.geometric_mean,
}


class FigureError(Exception):
    """A comment that names no stored result."""


class Stored(dict[str, Any]):
    """A JSON object whose fields are also attributes."""

    __getattr__ = dict.__getitem__


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number on a page: its text, whether it is a percentage, and where it starts."""

    text: str
    percent: bool
    start: int

    @property
    def name(self) -> str:
        """Return it as settings name it."""
        return self.text + " %" * self.percent

    def shows(self, value: float) -> str:
        """Return the text that a value has here; halves may be rounded either way.

        Examples
        --------
        >>> number = Number(text="+9.0", percent=True, start=0)
        >>> number.shows(0.0895), number.shows(0.1234)
        ('+9.0', '+12.3')
        >>> Number(text="2e-04", percent=False, start=0).shows(0.00031)
        '3e-04'
        """
        decimals = len(self.text.partition("e")[0].partition(".")[2])
        scaled = value * 100 if self.percent else value
        unit = 10 ** (int(self.text.partition("e")[2] or 0) - decimals)
        if abs(scaled - float(self.text.replace(",", ""))) <= 0.5 * unit * (1 + 1e-6):
            return self.text
        sign, comma = "+" * self.text.startswith("+"), "," * ("," in self.text)
        return f"{scaled:{sign}{comma}.{decimals}{'e' if 'e' in self.text else 'f'}}"


def is_evidence(page: Path) -> bool:
    """Tell whether all numbers of a page are read.

    Examples
    --------
    >>> [is_evidence(Path("docs", name)) for name in ("evidence/adapt.md", "speed.md", "api.md")]
    [True, True, False]
    """
    return page.parent.name in EVIDENCE or page.stem in EVIDENCE


def numbers(text: str, *, whole: bool) -> list[Number]:
    """Return the numbers of a page that need a source.

    Examples
    --------
    >>> [number.name for number in numbers("In 2026: 1,200 of `5` (2 to 3 %), x2.", whole=True)]
    ['1,200', '2 %', '3 %']
    >>> [number.name for number in numbers("In 2026: 1,200 of `5` (2 to 3 %), x2.", whole=False)]
    ['2 %', '3 %']
    """
    plain, shown = without_code(text)
    parts = {found.start(i): name for name, found in parts_of(plain) for i in (1, 2)}
    return [
        Number(text=found["number"], percent=found["percent"] is not None, start=found.start())
        for found in NUMBER.finditer(plain)
        if whole
        or (is_claim(found, parts) and parts.get(found.start(), name_of(found)) not in shown)
    ]


def unread(text: str) -> Iterator[tuple[int, str]]:
    """Yield the decimals and percentages that are written so that nobody compares them.

    Examples
    --------
    >>> list(unread("0.9/0.8, n=0.7, 1.5x, .6; but 0.9 / 0.8, R 4.2.2"))
    [(0, '0.9'), (4, '0.8'), (11, '0.7'), (16, '1.5'), (22, '.6')]
    """
    plain, _ = without_code(text)
    read = {place for found in NUMBER.finditer(plain) for place in range(*found.span("number"))}
    for found in CLAIM.finditer(plain):
        if found.start() not in read:
            yield found.start(), found[0]


def parts_of(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the parts of something, such as `3 of 40`, by their names."""
    for found in PART_OF.finditer(text):
        yield f"{found[1]} of {found[2]}".replace(",", ""), found


def name_of(found: re.Match[str]) -> str:
    """Return a number with its unit."""
    return found["number"] + " %" * (found["percent"] is not None)


def is_claim(found: re.Match[str], parts: Container[int]) -> bool:
    """Tell whether a number may be a result: a decimal, a percentage, `N times` or `N of M`.

    In the row of a table that has decimals or percentages, all numbers are.
    """
    line = found.string[found.string.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
    return bool(
        (line.startswith("|") and RESULT_ROW.search(line))
        or re.search(r"[.e]", found["number"])
        or found["percent"] is not None
        or found.start() in parts
        or TIMES.match(found.string, found.end())
    )


def without_code(text: str) -> tuple[str, set[str]]:
    """Return a page with blanks for what is not read, and the numbers that its code shows."""
    text = WRITTEN.sub(blank, text)
    lines, shown = text.split("\n"), set[str]()
    for block in blocks(text):
        if block.language in RUN:
            shown |= {name_of(found) for found in NUMBER.finditer(block.text)}
            shown |= {name for name, _ in parts_of(block.text)}
        if block.language != "text":
            for i in range(block.start, block.stop):
                lines[i] = " " * len(lines[i])
    plain = "\n".join(FENCE.sub(blank, line) for line in lines)
    return NOT_READ.sub(blank, plain), shown


def blank(found: re.Match[str]) -> str:
    """Return as many blanks and lines."""
    return re.sub(r"[^\n]", " ", found[0])


def figures(expressions: str) -> Iterator[float]:
    """Yield the values that the expressions of a comment have."""
    for node in ast.parse(f"[{expressions.strip()}]", mode="eval").body.elts:  # type: ignore[attr-defined]
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        stored = {name: read(path) for name in names if (path := path_of(name)) is not None}
        if not stored and not isinstance(node, ast.Constant):
            msg = f"{ast.unparse(node)} names no file of benchmarks/results"
            raise FigureError(msg)
        code = compile(ast.Expression(node), "figures", "eval")
        yield from flat(eval(code, {"__builtins__": FUNCTIONS, **stored}))  # noqa: S307


def path_of(name: str) -> Path | None:
    """Return the file that a name stands for; `speed_text` is speed.md or speed.txt."""
    stem = name.removesuffix("_text")
    kinds = ("json",) if stem == name else ("md", "txt")
    paths = [RESULTS / f"{stem}.{kind}" for kind in kinds]
    return next((path for path in paths if path.is_file()), None)


@cache
def read(path: Path) -> Any:  # noqa: ANN401
    """Read a stored result; of a text, its lines and the rows of its tables."""
    text = path.read_text("utf-8")
    return json.loads(text, object_hook=Stored) if path.suffix == ".json" else read_text(text)


def read_text(text: str) -> dict[str, Any]:
    r"""Return the numbers behind the last colon of each line, and the rows below each heading.

    Examples
    --------
    >>> read_text("mean: 0.5\n# Sizes\n| a | b | n = 4 |\n| c | d | 0.7 (5 %) |")
    {'mean': [0.5], 'Sizes': {'a | b | n =': [4.0], 'c | d': [0.7, 5.0]}}
    """
    found: dict[str, Any] = {}
    rows: dict[str, list[float]] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            rows = found.setdefault(line.lstrip("# "), {})
        elif line.startswith("|"):
            label = NUMERAL.split(line, maxsplit=1)[0].strip("| ")
            rows[label] = numerals(line)
        elif ": " in line:
            label, _, end = line.rpartition(": ")
            found[label] = numerals(end)
    return found


def numerals(text: str) -> list[float]:
    """Return all numbers of a text."""
    return [float(one) for one in NUMERAL.findall(text)]


def texts(name: str) -> set[str]:
    """Return the numbers of a stored text."""
    stored = (RESULTS / name).read_text("utf-8")
    return {found["number"] for found in NUMBER.finditer(re.sub(r"\\[nu]", " ", stored))}


def flat(value: Any) -> Iterator[float]:  # noqa: ANN401
    """Yield the numbers of nested lists."""
    if isinstance(value, Iterable):
        for member in value.values() if isinstance(value, dict) else value:
            yield from flat(member)
    elif value is not None:
        yield value


def compared(text: str, *, whole: bool) -> tuple[str, list[str]]:
    """Return a page with its figures as they are stored, and what is wrong with it."""
    before, text = text, INCLUDED.sub(included, text)
    faults = ["an included text is not the stored one"] if text != before else []
    faults += [f"line {line_of(text, at)}: {name} must stand apart" for at, name in unread(text)]
    left = numbers(text, whole=whole)
    changed: list[tuple[int, str, str]] = []
    for source in SOURCE.finditer(text):
        here = [number for number in left if number.start < source.start()]
        left = left[len(here) :]
        try:
            changed += [(n.start, n.text, new) for n, new in matched(here, PART.findall(source[0]))]
            changed.append((source.start(), source[0], sealed(source[0], here)))
        except (
            FigureError,
            LookupError,
            NameError,
            OSError,
            SyntaxError,
            TypeError,
            ValueError,
        ) as error:
            faults.append(f"line {line_of(text, source.start())}: {type(error).__name__}: {error}")
    faults += [f"line {line_of(text, n.start)}: {n.name} has no source" for n in left]
    for start, old, new in reversed(changed):
        if new != old:
            faults.append(f"line {line_of(text, start)}: {old.strip()} should be {new.strip()}")
            text = text[:start] + new + text[start + len(old) :]
    return text, faults


def sealed(source: str, here: list[Number]) -> str:
    """Return a comment whose seals are those of the numbers above and of the texts they quote.

    A seal that differs asks a person to read both again.
    """
    shown = " ".join(number.name for number in here).encode()
    return QUOTED.sub(
        lambda found: (
            f"<!-- quoted: {found[1]} "
            f"{zlib.crc32(shown + (RESULTS / found[1]).read_bytes()):08x} -->"
        ),
        source,
    )


def included(found: re.Match[str]) -> str:
    """Return a block with the stored text that it includes, or with the part below a heading."""
    path = RESULTS / found[1]
    stored = path.read_text("utf-8") if path.is_file() else ""
    if found[2]:
        stored = stored.partition(f"# {found[3]}\n")[2].partition("\n#")[0]
    shown = stored.strip() or "nothing is stored"
    return f"<!-- include: {found[1]}{found[2]}{found[3]} -->\n\n{shown}\n\n<!-- end -->"


def matched(here: list[Number], parts: list[tuple[str, str]]) -> list[tuple[Number, str]]:
    """Return each figure above a comment with the text of its stored value."""
    named = [name for kind, body in parts if kind == "settings" for name in re.split(r",\s", body)]
    settings = {name.strip() for name in named}
    quoted = {text for kind, body in parts if kind == "quoted" for text in texts(body.split()[0])}
    values = [value for kind, body in parts if kind == "figures" for value in figures(body)]
    shown = [n for n in here if n.name not in settings and n.text not in quoted]
    if unused := settings - {number.name for number in here}:
        msg = f"settings that the text does not have: {', '.join(sorted(unused))}"
        raise FigureError(msg)
    if len(shown) != len(values):
        listed = ", ".join(number.name for number in shown)
        msg = f"{len(values)} figures are named, {len(shown)} are shown: {listed}"
        raise FigureError(msg)
    return [(number, number.shows(value)) for number, value in zip(shown, values, strict=True)]


def line_of(text: str, place: int) -> int:
    """Return the line of a place in a text."""
    return text.count("\n", 0, place) + 1


def main() -> int:
    """Write the figures anew, or with --check only say what is wrong."""
    named = [Path(name).resolve() for name in sys.argv[1:] if name != "--check"]
    found = 0
    for page in named or [REPOSITORY / "README.md", *pages(), *notes()]:
        before = page.read_text(encoding="utf-8")
        after, faults = compared(before, whole=is_evidence(page))
        found += len(faults)
        print(*(f"{page.name}: {fault}" for fault in faults), sep="\n", end="\n" * bool(faults))
        if before != after and "--check" not in sys.argv:
            page.write_text(after, encoding="utf-8")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
