"""What patients with label 1 and label 0 are called in texts: decided here, and nowhere else.

Patients are ill or healthy, unless the label column names the classes itself, as "responder" and
"non-responder". Values that only say yes or no are not names. Nor is a value that is long or has
unusual characters: it may be more than the name of a class, and texts go into pages and tables.
A file without names, such as one of an older version, speaks of ill and healthy patients.
"""

import re
from dataclasses import dataclass
from typing import Final

ILL, HEALTHY = "ill", "healthy"
# Begins with a letter, and is at most 30 characters long.
NAME: Final = re.compile(r"[^\W\d_][\w .+/'-]{0,29}")
# Values that say whether, and not what. They are compared in lower case.
YES_OR_NO: Final = frozenset(
    {"yes", "no", "y", "n", "true", "false", "t", "f", "pos", "neg", "positive", "negative"}
)
# Words for a person, which have a plural; any other name stands before "patients".
NOUNS: Final = frozenset(
    {
        *("carrier", "case", "control", "non-survivor", "progressor"),
        *("relapser", "responder", "survivor"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassNames:
    """How patients of either class are called; ``ill`` is what label 1 means."""

    ill: str = ILL
    healthy: str = HEALTHY

    @classmethod
    def of(cls, positive: str | None, negative: str | None) -> "ClassNames":
        """Return the names of a label column, or ill and healthy if these are not two names.

        Examples
        --------
        >>> ClassNames.of("responder", "non-responder")
        ClassNames(ill='responder', healthy='non-responder')
        >>> ClassNames.of("yes", "no"), ClassNames.of("MSI", None)
        (ClassNames(ill='ill', healthy='healthy'), ClassNames(ill='ill', healthy='healthy'))
        """
        names = [(name or "").strip() for name in (positive, negative)]
        usable = [NAME.fullmatch(name) and name.casefold() not in YES_OR_NO for name in names]
        if not all(usable) or names[0].casefold() == names[1].casefold():
            return cls()
        return cls(ill=names[0], healthy=names[1])

    @property
    def given(self) -> bool:
        """Whether they come from a label column."""
        return self != ClassNames()

    @property
    def ill_patients(self) -> str:
        """Several patients with label 1.

        Examples
        --------
        >>> ClassNames().ill_patients, ClassNames(ill="responder").ill_patients
        ('ill patients', 'responders')
        """
        return several(self.ill)

    @property
    def healthy_patients(self) -> str:
        """Several patients with label 0."""
        return several(self.healthy)

    @property
    def healthy_ones(self) -> str:
        """Several patients with label 0, after others were named."""
        return several(self.healthy, "ones")


DEFAULT: Final = ClassNames()


def several(name: str, who: str = "patients") -> str:
    """Return the plural of a name.

    Examples
    --------
    >>> several("MSI"), several("case"), several("healthy", "ones")
    ('MSI patients', 'cases', 'healthy ones')
    """
    return f"{name}s" if is_noun(name) else f"{name} {who}"


def of_them(name: str) -> str:
    """Return a name as it stands after a number of patients: 3 of them ill, 3 of them cases."""
    return f"{name}s" if is_noun(name) else name


def is_noun(name: str) -> bool:
    """Whether a name is a word for a person."""
    plain = name.casefold()
    return plain in NOUNS or plain.removeprefix("non").lstrip("- ") in NOUNS
