"""The options of a command as the fields of a form, and a filled form as the command's arguments.

The form has the options and defaults of the command, in the words of the app. Only the command
checks what a user fills in.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steadycut.app.works import STUDY
from steadycut.ingest.column import Column
from steadycut.show.words.fields import HINTS, NEEDED, WITHOUT_DEFAULT, title_of, value_in_words

# What everybody decides. The other options are behind "More options".
FIRST = (
    *("pilot", "risk", "width", "patients", "prevalence", "worklist", "target"),
    *("direction", "cost_fn", "cost_fp", "internal", "external", "rule", "honesty"),
)
# Columns have their own part of the form. The other options make no sense in the app.
ROLES = ("patient", "label", "positive", "site", "order")
MAPPED = frozenset({*ROLES, "score", "level", "aggregate"})
NOT_ASKED = frozenset(
    {
        *("out", "engine", "resume", "patient_key", "small_cells", "verify", "json", "verbose"),
        *("overwrite", "strict", "log", "column", "no_label", "no_site", "at_site", "labels"),
        *("delimiter", "sheet", "on", "patient_from", "file_column"),
        # A change-control plan is written, signed and used on the command line.
        *("changes", "range", "otherwise", "benefits", "risks", "plan", "trigger"),
    }
)
# Options whose value is the name of a column.
OF_COLUMNS = frozenset({"group", "stratify", "time", "event"})
# Options whose value is a share of patients, which may be filled in as a percentage.
SHARES = frozenset(
    {"prevalence", "prevalence_there", "target_prevalence", "risk", "width", "power"}
)
# How the help of a command says what an option is where it is not given.
DEFAULT = " [default: "
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
# An option whose value is a study of the app.
PILOT = "pilot"
COLUMNS_OF_LEVELS = 2
PLACES = ("patient", "score", "label", "site", "order")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One option of a command, as a field.

    ``choices`` are all values to pick from. A switch is on or off. Without a value that is
    ``needed`` the command refuses. ``help`` is what the command says of the option; it is shown
    where `steadycut.show.words.fields` has no other words.
    """

    name: str
    option: str
    default: str = ""
    choices: tuple[str, ...] = ()
    is_switch: bool = False
    needed: bool = False
    help: str = ""

    @property
    def title(self) -> str:
        """The text above the field."""
        return title_of(self.name)

    @property
    def hint(self) -> str:
        """The text below the field."""
        text, _, default = self.help.removesuffix("]").partition(DEFAULT)
        # Choices speak for themselves, and a name of an option is no word of the app.
        said = self.choices or "--" in self.help or text == f"{self.title}."
        own = "" if said else text
        own = f"{own} Empty: {default}.".lstrip() if default and "--" not in default else own
        usual = HINTS.get(self.name, own)
        if self.needed:
            return NEEDED.get(self.name, usual)
        return usual if self.default else WITHOUT_DEFAULT.get(self.name, usual)

    @property
    def is_column(self) -> bool:
        """Whether its value is a column of the table."""
        return self.name in OF_COLUMNS

    @property
    def is_study(self) -> bool:
        """Whether its value is a study of the app."""
        return self.name == PILOT

    @property
    def is_first(self) -> bool:
        """Whether it is shown without opening "More options"."""
        return self.name in FIRST

    def words(self, choice: str) -> str:
        """Return a choice as the page shows it."""
        return value_in_words(self.name, choice)

    def argument(self, value: str) -> str | None:
        """Return the argument of the command; None for the default."""
        if self.is_switch:
            return self.option if value else None
        return f"{self.option}={value}" if value not in {"", self.default} else None


def mapped(fields: Sequence[Field]) -> list[Field]:
    """Return the options that say which column is what, in the order of the form."""
    return [field for name in ROLES for field in fields if field.name == name]


def asked(fields: Sequence[Field]) -> list[Field]:
    """Return the options that the form asks for below the columns, the most important first."""
    names = {field.name for field in fields}
    # A plan has a target for a rule at another hospital, and a margin for its changes, only.
    hidden = MAPPED | NOT_ASKED | ({"target", "margin"} if "at_site" in names else set())
    wanted = [field for field in fields if field.name not in hidden]
    first = [field for name in FIRST for field in wanted if field.name == name]
    return first + [field for field in wanted if not field.is_first]


Filled = Mapping[str, Sequence[str]]


def arguments(filled: Filled, fields: Sequence[Field], columns: Sequence[Column]) -> list[str]:
    """Return the arguments of the command for a filled form.

    The browser sends positions of columns, never their names.

    Examples
    --------
    >>> filled = {"patient": ["0"], "score": ["1"], "cost_fn": ["3"], "seed": [""]}
    >>> fields = [Field(name=name, option=f"--{name}") for name in ("cost_fn", "seed")]
    >>> arguments(filled, fields, [Column(name="id"), Column(name="s")])
    ['--patient=id', '--score=s', '--cost_fn=3']
    """
    typed = _mapping(filled, columns) + _left_out(filled, fields)
    for field in asked(fields):
        if field.is_column:
            typed += [f"{field.option}={column}" for column in _names(filled, field.name, columns)]
        elif field.is_study:
            typed += [f"{field.option}={STUDY}"] if _text(filled, field.name) else []
        elif argument := field.argument(_shares(field.name, _text(filled, field.name))):
            typed.append(argument)
    return typed


def field_named(
    error: str, filled: Filled, fields: Sequence[Field], columns: Sequence[Column]
) -> str:
    """Return the name of the field that an error is about: by its title, or by its column.

    Examples
    --------
    >>> field = Field(name="cost_fn", option="--cost-fn")
    >>> field_named("“Cost of a missed patient” must be positive.", {}, [field], [])
    'cost_fn'
    >>> field_named("'s' must hold numbers", {"score": ["0"]}, [], [Column(name="s")])
    'score'
    """
    places = {field.name: error.find(f"“{field.title}”") for field in fields}
    titled = [name for name in places if places[name] >= 0 and name not in NOT_ASKED]
    roles = (
        *PLACES,
        *sorted(OF_COLUMNS),
        *(f"level-{level}" for level in range(COLUMNS_OF_LEVELS)),
    )
    named = (
        role for role in roles for name in _names(filled, role, columns) if repr(name) in error
    )
    return min(titled, key=places.__getitem__, default=next(named, ""))


def _mapping(filled: Filled, columns: Sequence[Column]) -> list[str]:
    typed = []
    for role in PLACES:
        typed += [f"--{role}={name}" for name in _names(filled, role, columns)]
    if positive := _text(filled, "positive"):
        typed.append(f"--positive={positive}")
    for level in range(COLUMNS_OF_LEVELS):
        how = _text(filled, f"level-{level}-how")
        typed += [f"--level={name}:{how}" for name in _names(filled, f"level-{level}", columns)]
    several = [*filled.get("aggregate", ()), *_text(filled, "aggregate-other").split(",")]
    return typed + [f"--aggregate={text.strip()}" for text in several if text.strip()]


def _left_out(filled: Filled, fields: Sequence[Field]) -> list[str]:
    """Return how to say that a column of the rule is not to be read: nobody picked it."""
    names = {field.name for field in fields}
    roles = [role for role in ("label", "site") if f"no_{role}" in names]
    return [f"--no-{role}" for role in roles if not _text(filled, role)]


def _names(filled: Filled, role: str, columns: Sequence[Column]) -> list[str]:
    """Return the names of the columns chosen for a role; ignore positions that do not exist."""
    positions = {str(at): column.name for at, column in enumerate(columns)}
    return [positions[at] for at in filled.get(role, ()) if at in positions]


def _shares(name: str, text: str) -> str:
    """Return percentages of ill patients, such as 8 %, as shares; other texts as they are."""
    if name not in SHARES or "%" not in text:
        return text
    return PERCENT.sub(lambda share: f"{float(share[1]) / 100:g}", text)


def _text(filled: Filled, name: str) -> str:
    """Return what was filled in, without null characters: a process cannot take them."""
    return next(iter(filled.get(name, ())), "").replace("\0", "").strip()
