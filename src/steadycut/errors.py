"""Everything that steadycut can refuse or warn of, as two trees.

::

    SteadycutError (ValueError)
    ├── BadOption            a value outside what an argument allows
    ├── BadTable             a table that cannot be read as patients and instances
    │   ├── MissingColumn    a column that is not there
    │   └── MissingScores    scores that are empty, NaN or infinite
    ├── BadPatients          patient-level data that contradict themselves
    │   ├── PatientOverlap   a patient in two roles, or at two sites
    │   └── TooFewPatients   too few patients, or a class without any
    ├── NoFeasibleCut        a constraint that no cut-off of the patients can meet
    ├── DeploymentRefused    patients that a rule was not made for; can be forced
    ├── BadFile              a slide or ECG that cannot be used; the others go on
    ├── BadRuleFile          a rule file that was edited, is incomplete or of another version
    ├── BadSignature         a signature that is missing, or of other bytes or another key
    ├── BadCheckpoint        a checkpoint of another study, or in use by another run
    ├── LostWorkers          processes or machines that died at work, and no others to take over
    └── MissingPackage       an optional package that is needed here

    SteadycutWarning (UserWarning)
    ├── DataWarning            patients, scores, labels or identifiers that look odd
    ├── FewPatientsWarning     a class with few patients
    ├── UnstableCutWarning     a cut-off that the patients do not settle
    ├── RowsAsPatientsWarning  rows without a patient: each counts as one
    └── ForcedWarning          patients that a rule was not made for; it was forced

Every text says what is wrong, what is allowed, what was given and what to do, in one line. It never
names a patient. Names of arguments are marked with `argument`, so that Python, the command line and
the app can each spell them in their own way.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial, wraps
from types import MappingProxyType
from typing import ParamSpec, Self, TypeVar

# Characters for private use, which nobody types: they stand around an argument.
MARKED = re.compile("\ue000(\\w+)(?:=(.*?))?\ue001")
# How similar a name must be to what was typed, from 0 to 1.
ALIKE = 0.7
LONGEST_TYPED = 100
# So many characters must have been typed to suggest a name that begins with them.
LEAST_TYPED = 3
IN_PYTHON: Mapping[str, str] = MappingProxyType({})
# What to type, and the names that other packages have for it.
A_TABLE = "Make patients of a table first: steadycut.aggregate(table, patient=..., score=...)."
OURS = {
    "Type y=...": "labels label y_true truth outcome target",
    "Type label=...": "y labels y_true truth outcome target",
    "Type labels=...": "y label y_true truth outcome target",
    "Type seed=...": "random_state rng random_seed",
    "Type delta=..., such as 0.1 for 90 %.": "alpha confidence_level level",
    "Type cost_fn=... and cost_fp=...": "cost costs cost_ratio",
    "Type n_bootstrap=...": "n_boot boot_runs B n_resamples",
    "Type rule=...": "metric method scoring criterion",
    "Every patient counts once; there are no weights.": "sample_weight",
    "Type patients=..., labels=... or sites=...": "patient ids id groups site",
    A_TABLE: "patient score patient_col score_col",
}
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def argument(name: str, value: str | float | None = None) -> str:
    """Mark an argument, perhaps with the value to give it, in the text of an error.

    Examples
    --------
    >>> error = BadOption(f"scores are missing; leave them out with {argument('missing', 'drop')}.")
    >>> str(error)
    "scores are missing; leave them out with missing='drop'."
    >>> error.spelled({"missing": "--missing"})
    'scores are missing; leave them out with --missing drop.'
    """
    return f"\ue000{name}\ue001" if value is None else f"\ue000{name}={value!r}\ue001"


def as_flag(name: str, value: str | None = None) -> str:
    """Write an option for the command line, perhaps with its value.

    Examples
    --------
    >>> as_flag("cost_fn", "5"), as_flag("force")
    ('--cost-fn 5', '--force')
    """
    return f"--{name.replace('_', '-')} {value or ''}".rstrip()


def as_keyword(name: str, value: str | None = None) -> str:
    """Write an option of the command line as an argument in Python, perhaps with its value.

    Examples
    --------
    >>> as_keyword("grid", "exact"), as_keyword("patient_key")
    ("grid='exact'", 'key')
    """
    name = {"patient_key": "key"}.get(name, name)
    return name if value is None else f"{name}={value!r}"


# Options that warnings advise, as their texts name them: files hold these for every surface.
ADVISED: Mapping[tuple[str, str | None], str] = MappingProxyType(
    {
        option: f"{as_flag(*option)}, in Python {as_keyword(*option)}"
        for option in (
            ("direction", "ge"),
            ("direction", "le"),
            ("grid", "exact"),
            ("one_per_patient", None),
            ("patient_key", None),
            ("positive", None),
            ("target_prevalence", None),
        )
    }
)


def spelled(text: str, spell: Callable[[str, str | None], str]) -> str:
    """Return a text with its marked arguments as ``spell`` writes a name and a value."""
    return MARKED.sub(lambda mark: spell(*mark.groups()), text)


def closest(word: str, names: Iterable[str]) -> str | None:
    """Return the name that is similar to a word, or begins with it; None if there is none.

    Examples
    --------
    >>> closest("Scroe", ["id", "score"]), closest("prob", ["probability"]), closest("x", ["y"])
    ('score', 'probability', None)
    """
    folded = {name.casefold(): name for name in reversed(list(names))}
    wanted = word.casefold()
    near = get_close_matches(wanted, folded, n=1, cutoff=ALIKE)
    if len(wanted) >= LEAST_TYPED:
        near += sorted((name for name in folded if name.startswith(wanted)), key=len)
    return folded[near[0]] if near else None


def did_you_mean(value: object, names: Collection[str]) -> str:
    """Return a question with the name that was probably meant; nothing if none is close.

    What follows a colon is kept as it was typed.

    Examples
    --------
    >>> did_you_mean("yuden", ["stable", "youden"]), did_you_mean("best", ["stable", "youden"])
    (" Did you mean 'youden'?", '')
    >>> did_you_mean("sens:0.9", ["sensitivity-near:X", "sensitivity:X"])
    " Did you mean 'sensitivity:0.9'?"
    >>> did_you_mean("f1@sensitivty:0.9", ["f1", "sensitivity:X"])
    " Did you mean 'f1@sensitivity:0.9'?"
    """
    if not isinstance(value, str) or len(value) > LONGEST_TYPED:
        return ""
    meant = _corrected(value, dict.fromkeys(name.partition(":")[0] for name in names))
    meant = closest(value, names) if meant in {None, value} else meant
    return f" Did you mean {meant!r}?" if meant not in {None, value} else ""


def no_such_name(name: str, names: Collection[str]) -> TypeError:
    """Return the error for an argument that is not there, with what to type instead.

    Examples
    --------
    >>> no_such_name("random_state", ["delta", "seed"])
    TypeError("there is no option 'random_state'. Type seed=...")
    >>> no_such_name("dleta", ["delta", "seed"])
    TypeError("there is no option 'dleta'. Did you mean 'delta'?")
    """
    texts = [text for text, others in OURS.items() if name in others.split()]
    asked = {*re.findall(r"(\w+)=", A_TABLE), *names}
    ours = [f" {text}" for text in texts if asked.issuperset(re.findall(r"(\w+)=", text))]
    return TypeError(f"there is no option {name!r}.{(*ours, did_you_mean(name, names))[0]}")


def explains_calls(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Say what to type where the arguments are not those of the function.

    What warns in the function blames the caller of its caller: one step more.
    """
    signature = inspect.signature(function)
    names = signature.parameters
    usage = ", ".join(
        f"{name}=..." if part.kind is part.KEYWORD_ONLY else name
        for name, part in names.items()
        if part.kind is not part.VAR_KEYWORD and name != "self"
    )

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            for name in kwargs:
                if name not in names and "options" not in names:
                    raise no_such_name(name, names) from None
            called = function.__qualname__.removesuffix(".__init__")
            raise TypeError(f"{error}. Type {called}({usage}).") from None
        return function(*args, **kwargs)

    return call


def _corrected(text: str, names: Collection[str]) -> str | None:
    """Return a text such as ``f1@ppv:0.9`` with the closest names; None if one has none."""
    parts = []
    for part in text.split("@"):
        name, colon, number = part.partition(":")
        near = name if name in names else closest(name, names)
        if near is None:
            return None
        parts.append(near + colon + number)
    return "@".join(parts)


@contextmanager
def refusing(
    kind: type["SteadycutError"], text: str, *caught: type[BaseException]
) -> Iterator[None]:
    """Raise an error of this kind instead of others; ``{why}`` in its text becomes their reason.

    Examples
    --------
    >>> with refusing(BadOption, "half of {why}.", ValueError):
    ...     int("two")
    Traceback (most recent call last):
    steadycut.errors.BadOption: half of invalid literal for int() with base 10: 'two'.
    """
    try:
        yield
    except caught as error:
        why = str(getattr(error, "strerror", None) or error).partition("\n")[0]
        raise kind(text.replace("{why}", why)) from None


class SteadycutError(ValueError):
    """Root of every error that a user can cause and fix."""

    def __init__(self, message: str = "") -> None:
        self.message = message
        super().__init__(self.spelled())

    @property
    def arguments(self) -> list[str]:
        """The names of the arguments that the error is about, as in Python."""
        return [name for name, _ in MARKED.findall(self.message)]

    def spelled(self, names: Mapping[str, str] = IN_PYTHON) -> str:
        """Return the text with other names for the arguments, such as ``--delta`` for ``delta``."""

        def spell(name: str, value: str | None) -> str:
            flag = names.get(name)
            if flag is None:
                return name if value is None else f"{name}={value}"
            return flag if value in {None, "True"} else f"{flag} {value}".replace("'", "")

        return spelled(self.message, spell)

    def renamed(self, flags: Mapping[str, str]) -> str:
        """Return the text with its arguments still marked, each named after its option."""

        def rename(name: str, value: str | None) -> str:
            name = flags.get(name, name).removeprefix("--").replace("-", "_")
            return f"\ue000{name}\ue001" if value is None else f"\ue000{name}={value}\ue001"

        return spelled(self.message, rename)


class BadOption(SteadycutError):
    """A value outside what an argument allows."""


class BadTable(SteadycutError):
    """A table that cannot be read as patients and instances."""


class MissingColumn(BadTable):
    """A column that is not in the table; ``column`` is its name, and ``near`` one like it."""

    def __init__(self, message: str, column: str | None = None, near: str | None = None) -> None:
        super().__init__(message)
        self.column, self.near = column, near


class MissingScores(BadTable):
    """Scores that are empty, NaN or infinite."""


class BadPatients(SteadycutError):
    """Patient-level data that contradict themselves."""


class PatientOverlap(BadPatients):
    """A patient in two roles, or at two sites."""


class TooFewPatients(BadPatients):
    """Too few patients, or a class without any."""


class NoFeasibleCut(SteadycutError):
    """A constraint that no cut-off of the patients can meet."""


class DeploymentRefused(SteadycutError):
    """Patients that a rule was not made for; ``force`` turns it into a recorded warning."""


class BadFile(SteadycutError):
    """A slide or ECG that cannot be used; the others go on."""


class BadRuleFile(SteadycutError):
    """A rule file that was edited, is incomplete or of another version."""


class BadSignature(SteadycutError):
    """A signature that is missing, or of other bytes or another key; or a key that is none."""


class BadCheckpoint(SteadycutError):
    """A checkpoint of another study, or one that another run uses."""


class LostWorkers(SteadycutError):
    """Processes or machines that died at work, and no others to take over."""


class MissingPackage(SteadycutError, ImportError):
    """An optional package that is needed here."""


class SteadycutWarning(UserWarning):
    """Something to know about a result that is still valid."""


class DataWarning(SteadycutWarning):
    """Patients, scores, labels or identifiers that look odd."""


class FewPatientsWarning(SteadycutWarning):
    """A class with few patients: expect a rough cut-off and a wide certificate."""


class UnstableCutWarning(SteadycutWarning):
    """A cut-off that the patients do not settle, or that keeps the limits only in some cohorts."""


class RowsAsPatientsWarning(SteadycutWarning):
    """Rows without a patient: each counts as one, and a certificate may be far too good."""


class ExperimentalWarning(SteadycutWarning):
    """A part of steadycut that may change in any version; SUPPORT.md lists the stable ones."""


class ForcedWarning(SteadycutWarning):
    """Patients that a rule was not made for, and that it was forced to take."""


# What each kind of warning is in Python; every other kind is about the data.
WARNING_OF_KIND: Mapping[str, type[SteadycutWarning]] = MappingProxyType(
    {
        "few patients": FewPatientsWarning,
        "flat minimum": UnstableCutWarning,
        "multi-modal minimum": UnstableCutWarning,
        "coarse grid": UnstableCutWarning,
        "limits": UnstableCutWarning,
        "rows as patients": RowsAsPatientsWarning,
        "forced": ForcedWarning,
    }
)

# Kinds whose texts hold no number, so that they tell nothing about single patients.
WITHOUT_NUMBERS = frozenset({"sampling", "separation", "sorted by label"})


class Warned(str):
    """A warning: its kind, and its text, which is written with the kind before it.

    Files hold the whole text; `read` makes the record again.

    Examples
    --------
    >>> found = Warned("unit", "the scores are in percent.")
    >>> found, found.kind, Warned.read(str(found)).kind
    ('unit: the scores are in percent.', 'unit', 'unit')
    """

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, kind: str, text: str) -> Self:
        """Write the kind, a colon and the text; without a kind the text alone."""
        made = super().__new__(cls, f"{kind}: {text}" if kind else text)
        made.kind = kind
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Return what a copy is made of."""
        return self.kind, self.removeprefix(f"{self.kind}: ")

    @classmethod
    def of(cls, kind: str) -> Callable[[str], Self]:
        """Return what makes warnings of a kind."""
        return partial(cls, kind)

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a warning as files hold it."""
        kind, colon, rest = text.partition(": ")
        return cls(kind, rest) if colon else cls("", text)


def warned_if(holds: object, kind: str, text: str) -> list[str]:
    """Return a warning of a kind in a list, which is empty if there is nothing to warn of."""
    return [Warned(kind, text)] if holds else []


def kind_of(text: str) -> str:
    """Return the kind of a warning; none for a text that has no kind."""
    return text.kind if isinstance(text, Warned) else ""


def warn_each(texts: Iterable[str], stacklevel: int = 1) -> None:
    """Warn of each text once, with the category of its kind; one without a kind is about data.

    ``stacklevel`` is that of `warnings.warn`: 2 blames the caller of the function that calls this.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_each([*2 * [Warned("few patients", "9")], "3 rows left out."])
    >>> [(one.category.__name__, str(one.message)) for one in caught]
    [('FewPatientsWarning', 'few patients: 9'), ('DataWarning', '3 rows left out.')]
    """
    for text in dict.fromkeys(texts):
        category = WARNING_OF_KIND.get(kind_of(text), DataWarning)
        warnings.warn(str(text), category, stacklevel=stacklevel + 1)
