"""The options of a command as the fields of a form, and a filled form as the command's arguments.

The form has the options, help texts and defaults of the command. Only the command checks what a
user fills in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steadycut.app.column import Column

# Decisions of every study. The other options are behind "More options".
FIRST = ("direction", "cost_fn", "cost_fp", "internal", "external", "rule", "honesty")
# Columns have their own part of the form. The other options make no sense in the app.
MAPPED = frozenset({"patient", "score", "label", "positive", "site", "level", "aggregate"})
NOT_ASKED = frozenset(
    {"out", "engine", "resume", "patient_key", "small_cells", "verify", "json", "verbose"}
)
TITLES = {
    "direction": "Direction",
    "cost_fn": "Cost of a missed patient",
    "cost_fp": "Cost of a false alarm",
    "internal": "Sites to choose on",
    "external": "Sites to judge on",
    "select": "How one of several candidates is chosen",
    "delta": "Failure probability of the certificate",
    "confidence": "Confidence of intervals",
    "bootstrap": "Bootstrap cohorts",
    "missing": "Missing scores and labels",
    "grid": "Number of cuts",
}
WORDS = {
    "ge": "high scores are called",
    "le": "low scores are called",
    "split": "some choose, others certify",
    "uniform": "all do both",
    "refuse": "refuse the table",
    "drop": "leave out and count",
}
COLUMNS_OF_LEVELS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One option of a command, as a field.

    ``choices`` are all allowed values, ``suggestions`` are some of them. A switch is on or off.
    """

    name: str
    option: str
    help: str
    default: str = ""
    choices: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    is_switch: bool = False

    @property
    def title(self) -> str:
        """The text above the field."""
        return TITLES.get(self.name, self.name.replace("_", " ").capitalize())

    @property
    def hint(self) -> str:
        """The text below the field: the command's help, and the option that errors name."""
        help_ = "" if self.help.rstrip(".") == self.title else f"{self.help} "
        return f"{help_}({self.option})"

    @property
    def is_first(self) -> bool:
        """Whether it is shown without opening "More options"."""
        return self.name in FIRST

    def words(self, choice: str) -> str:
        """Return a choice as the page shows it."""
        return f"{choice}: {WORDS[choice]}" if choice in WORDS else choice

    def argument(self, value: str) -> str | None:
        """Return the argument of the command; None for the default."""
        if self.is_switch:
            return self.option if value else None
        return f"{self.option}={value}" if value not in {"", self.default} else None


def asked(fields: Sequence[Field]) -> list[Field]:
    """Return the options that the form asks for below the columns, the most important first."""
    wanted = [field for field in fields if field.name not in MAPPED | NOT_ASKED]
    first = [field for name in FIRST for field in wanted if field.name == name]
    return first + [field for field in wanted if not field.is_first]


Filled = Mapping[str, Sequence[str]]


def arguments(filled: Filled, fields: Sequence[Field], columns: Sequence[Column]) -> list[str]:
    """Return the arguments of the command for a filled form.

    The browser sends positions of columns, never their names.

    Examples
    --------
    >>> filled = {"patient": ["0"], "score": ["1"], "cost_fn": ["3"], "seed": [""]}
    >>> fields = [Field(name=name, option=f"--{name}", help="") for name in ("cost_fn", "seed")]
    >>> arguments(filled, fields, [Column(name="id"), Column(name="s")])
    ['--patient=id', '--score=s', '--cost_fn=3']
    """
    found = _mapping(filled, columns)
    for field in asked(fields):
        argument = field.argument(_text(filled, field.name))
        found += [] if argument is None else [argument]
    return found


def _mapping(filled: Filled, columns: Sequence[Column]) -> list[str]:
    found = []
    for role in ("patient", "score", "label", "site"):
        found += [f"--{role}={name}" for name in _names(filled, role, columns)]
    if positive := _text(filled, "positive"):
        found.append(f"--positive={positive}")
    for level in range(COLUMNS_OF_LEVELS):
        how = _text(filled, f"level-{level}-how")
        found += [f"--level={name}:{how}" for name in _names(filled, f"level-{level}", columns)]
    several = [*filled.get("aggregate", ()), *_text(filled, "aggregate-other").split(",")]
    return found + [f"--aggregate={one.strip()}" for one in several if one.strip()]


def _names(filled: Filled, role: str, columns: Sequence[Column]) -> list[str]:
    """Return the names of the columns chosen for a role; ignore positions that do not exist."""
    positions = {str(at): column.name for at, column in enumerate(columns)}
    return [positions[at] for at in filled.get(role, ()) if at in positions]


def _text(filled: Filled, name: str) -> str:
    """Return what was filled in, without null characters: a process cannot take them."""
    return next(iter(filled.get(name, ())), "").replace("\0", "").strip()
