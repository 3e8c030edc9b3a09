"""Check whether new patients are what a rule was made for.

Each check has a name and warns or refuses. A warning is printed and recorded. A refusal stops the
work unless the user forces it; then that is recorded.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray, refuse
from steadycut.core.records import PatientScores, Recipe, made_by
from steadycut.core.rounding import percent
from steadycut.documents.known_patients import Remembered, check_fits
from steadycut.documents.parts import InstancesPart
from steadycut.errors import ADVISED, DeploymentRefused, Warned, argument, warn_each
from steadycut.ingest.request import Request, site_hash

WARN, REFUSE = "warn", "refuse"
OUTSIDE_SHARE = 0.05
INSTANCE_FACTOR = 3.0
# If half of the patients have several, ten who all have one occur by chance in 1 of 1000 cases.
SURE = 10
# The checks that notice scores of another unit or scorer.
SCORES_UNLIKE = ("score range", "unit")
# Those that notice patients who made the rule.
OWN_PATIENTS = frozenset({"same patients", "patients"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One difference between the patients and those of the rule, and what to do about it."""

    name: str
    found: str
    expected: str
    advice: str
    severity: str = WARN

    @property
    def text(self) -> Warned:
        """All of it in one line."""
        text = f"{self.found}; where the rule was made {self.expected}. {self.advice}"
        return Warned(self.name, text)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Expected:
    """What the patients of a frozen rule were like; None or empty where that is not known.

    ``usual`` holds most scores. Per patient, ``instances`` counts the rows and ``units`` the units
    of the innermost level. ``sites`` are hashes of names, ``data_sha256`` that of the patients.
    """

    recipe: Recipe
    score_range: tuple[float, float]
    usual: tuple[float, float] | None = None
    instances: InstancesPart | None = None
    units: InstancesPart | None = None
    sites: Sequence[str] = ()
    data_sha256: str | None = None
    remembered: Remembered | None = None
    methods: Sequence[tuple[Recipe, tuple[float, float]]] = ()


class Guarded(Protocol):
    """A frozen rule of any kind."""

    @property
    def expected(self) -> Expected:
        """What the patients of the rule were like."""


def check_rule(rule: object) -> None:
    """Refuse anything but a frozen rule, such as its path."""
    if not hasattr(rule, "expected"):
        refuse("rule", "be a frozen rule: study.freeze(), or FrozenRule.load(path)", rule)


def check_deployment(
    rule: Guarded,
    patients: PatientScores,
    several: Sequence[PatientScores] = (),
    *,
    key: bytes | None = None,
    grades: IntArray | None = None,
) -> list[Finding]:
    """Return every difference between patients and those that a frozen rule was made from.

    Parameters
    ----------
    rule
        A frozen rule, frozen strata or a frozen rule by covariate.
    patients
        Patient scores, made as the rule says.
    several
        For an ensemble what they were made of, the same patients once for each method.
    key
        The secret key with which the rule remembers its patients, if it has one.
    grades
        What is known about each patient, 0 for healthy, if the rule is to be judged by it. The
        patients that the rule was made from are then refused.

    Returns
    -------
    list of Finding
        Each with a name, a severity (``"warn"`` or ``"refuse"``), what was found, what was expected
        and what to do; ``text`` has all of it in one line. `pass_or_refuse` raises if one refuses.

    Examples
    --------
    >>> from steadycut import fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 50)
    >>> rule = fit(PatientScores(scores=rng.normal(size=100) + 3 * labels, labels=labels)).freeze()
    >>> [one.name for one in check_deployment(rule, PatientScores(scores=[500.0, 700.0]))]
    ['score range', 'unit']
    """
    expected = rule.expected
    check_fits(expected.remembered, key)
    seen = [check(expected, patients.scored) for check in CHECKS]
    seen += [_same_patients(expected, patients, grades), _known_patients(expected, patients, key)]
    for recipe, score_range in expected.methods if several else ():
        own = replace(expected, score_range=score_range)
        seen.append(check_range(own, made_by(recipe, several).scored, f" of '{recipe.name}'"))
    return [finding for finding in seen if finding]


def pass_or_refuse(findings: Iterable[Finding], *, force: bool) -> list[Finding]:
    """Return the findings; raise `DeploymentRefused` if one of them refuses and is not forced."""
    listed = list(findings)
    refused = [finding.text for finding in listed if finding.severity == REFUSE]
    if refused and not force:
        force_it = argument("force", value=True)
        msg = f"{' '.join(refused)} To continue anyway, and have that recorded: {force_it}."
        raise DeploymentRefused(msg)
    return listed


def texts_of(findings: Iterable[Finding]) -> list[str]:
    """Return the lines to record; what was refused says that it was forced."""
    forced = Warned.of("forced")
    return [forced(note.text) if note.severity == REFUSE else note.text for note in findings]


def forced_names(findings: Iterable[Finding]) -> list[str]:
    """Return the names of the checks that refused, for findings that were forced."""
    return [finding.name for finding in findings if finding.severity == REFUSE]


def warn_of_forced(findings: Iterable[Finding]) -> None:
    """Warn of everything that was forced, where no file records it."""
    warn_each(texts_of(finding for finding in findings if finding.severity == REFUSE), stacklevel=3)


# Checks that warn --------------------------------------------------------------------------


def check_range(expected: Expected, patients: PatientScores, of: str = "") -> Finding | None:
    """Notice scores outside the range that the rule has seen; ``of`` names them."""
    low, high = expected.score_range
    share = float(np.mean(_outside(expected.score_range, patients.scores)))
    if share <= OUTSIDE_SHARE:
        return None
    return Finding(
        name="score range",
        found=f"{percent(share, 0)} of the patients have scores{of} outside the rule's own range",
        expected=f"they lay between {low:g} and {high:g}",
        advice="Check that scorer and unit are the same.",
    )


def outside_range(
    expected: Expected, patients: PatientScores, several: Sequence[PatientScores] = ()
) -> NDArray[np.bool_]:
    """Return which patients have a score outside the range that the rule has seen.

    For an ensemble, ``several`` holds the same patients once for each method. Then a patient is
    also outside if the score of one method is.
    """
    outside = _outside(expected.score_range, patients.scores)
    for recipe, score_range in expected.methods if several else ():
        outside |= _outside(score_range, made_by(recipe, several).scores)
    return outside


def _outside(score_range: tuple[float, float], scores: FloatArray) -> NDArray[np.bool_]:
    return (scores < score_range[0]) | (scores > score_range[1])


def check_unit(expected: Expected, patients: PatientScores) -> Finding | None:
    """Notice a median score that was unusual where the rule was made, as in another unit."""
    middle = float(np.median(patients.scores))
    if expected.usual is None or expected.usual[0] <= middle <= expected.usual[1]:
        return None
    low, high = expected.usual
    return Finding(
        name="unit",
        found=f"the median score is {middle:g}",
        expected=f"most scores lie between {low:g} and {high:g}",
        advice="Is it the same unit and the same scorer?",
    )


def check_instances(expected: Expected, patients: PatientScores) -> Finding | None:
    """Notice another number of instances per patient, which moves a maximum or a quantile."""
    usual, here = expected.instances, patients.n_instances
    if usual is None or here is None or check_aggregation(expected, patients):
        return None
    typical = float(np.median(here))
    if typical / INSTANCE_FACTOR <= usual.median <= typical * INSTANCE_FACTOR:
        return None
    return Finding(
        name="instances",
        found=f"a patient has {typical:g} instances here (median)",
        expected=f"{usual.median:g}",
        advice="More instances raise a maximum, fewer lower it: check how they were sampled.",
    )


def check_sites(expected: Expected, patients: PatientScores) -> Finding | None:
    """Notice a site where the rule was made: its patients may not be new, unless it knows them."""
    here = [] if patients.sites is None else np.unique(patients.sites).tolist()
    again = [name for name in here if site_hash(name) in expected.sites]
    if not again or (expected.remembered is not None and patients.patients is not None):
        return None
    return Finding(
        name="site",
        found=f"the rule was made at {len(again)} of the {len(here)} sites here",
        expected="patients of sites with these names took part",
        advice="Those who made the rule make it look better than it is; leave them out.",
    )


# Checks that refuse ------------------------------------------------------------------------


def check_aggregation(expected: Expected, patients: PatientScores) -> Finding | None:
    """Notice one row per patient for a rule made from many rows, and the reverse."""
    usual, here = expected.instances, patients.n_instances
    if usual is None or here is None or not here.size:
        return None
    chain = ", ".join(f"{level} {how}" for level, how in expected.recipe.chain)
    if _all_single(here, usual):
        return Finding(
            name="aggregation",
            severity=REFUSE,
            found="every patient has one row",
            expected=f"patients had {_span(usual)} rows, aggregated by {chain}",
            advice="Give the table of instances, or force it if they were aggregated in that way.",
        )
    typical = float(np.median(here))
    if usual.largest > 1 or typical <= 1:
        return None
    return Finding(
        name="aggregation",
        severity=REFUSE,
        found=f"a patient has {typical:g} rows here (median)",
        expected="every patient had one",
        advice="Aggregate the rows of a patient as it was done there.",
    )


def check_levels(expected: Expected, patients: PatientScores) -> Finding | None:
    """Notice a level that is constant: one unit per patient for a rule made from several."""
    usual, here = expected.units, patients.n_units
    if usual is None or here is None or check_aggregation(expected, patients):
        return None
    if not here.size or not _all_single(here, usual):
        return None
    levels = " and ".join(repr(level) for level, _ in expected.recipe.levels)
    return Finding(
        name="missing level",
        severity=REFUSE,
        found=f"every patient has one unit of {levels}",
        expected=f"patients had {_span(usual)}",
        advice="Check that the column tells the units apart.",
    )


def missing_patient(request: Request, column: str | None, expected: Expected) -> Finding | None:
    """Notice that a table lacks the column of patients, if those of the rule had one row each."""
    single = expected.instances is not None and expected.instances.largest == 1
    if column != request.patient or not single:
        return None
    return Finding(
        name="rows as patients",
        found=f"the table has no column {column!r}, so each row counts as one patient",
        expected="every patient had one row",
        advice="If a patient has several rows here, name the column of patients.",
    )


def missing_level(request: Request, column: str | None) -> Finding | None:
    """Notice that a table lacks the column of a level; None if the column is not a level."""
    how = dict(request.levels).get(column or "")
    if how is None:
        return None
    return Finding(
        name="missing level",
        severity=REFUSE,
        found=f"the table has no column {column!r}",
        expected=f"the rows of each were aggregated by {how}",
        advice=(
            f"Name it with {request.how_to_name(column or '')}. Forced, that step is left out, as "
            "for rows that are made so."
        ),
    )


def _same_patients(
    expected: Expected, patients: PatientScores, grades: IntArray | None
) -> Finding | None:
    """Notice the very patients that the rule was made from, with or without their sites."""
    if grades is None or expected.data_sha256 not in set(_fingerprints(patients, grades)):
        return None
    return same_patients("these are the patients that the rule was made from", "they")


def same_patients(found: str, who: str) -> Finding:
    """Refuse the patients of the study; ``who`` they were there."""
    return Finding(
        name="same patients",
        severity=REFUSE,
        found=found,
        expected=f"{who} were used to choose and to check the cut-off",
        advice=(
            "They cannot say how it does elsewhere; give patients of another hospital. Some of "
            "them among others are noticed only if the rule remembers its patients."
        ),
    )


def _fingerprints(patients: PatientScores, grades: IntArray) -> Iterator[str]:
    for labels in (patients.labels, None):
        for sites in (patients.sites, None):
            plain = replace(patients, labels=labels, sites=sites).fingerprint()
            yield plain
            yield graded_fingerprint(plain, grades)


def graded_fingerprint(fingerprint: str, grades: IntArray) -> str:
    """Return a SHA-256 of patients, given theirs, and their grades."""
    return hashlib.sha256(fingerprint.encode() + grades.astype("<i8").tobytes()).hexdigest()


def _known_patients(
    expected: Expected, patients: PatientScores, key: bytes | None
) -> Finding | None:
    """Notice patients who made the rule, if the rule remembers them."""
    remembered, names = expected.remembered, patients.patients
    if remembered is None or names is None:
        return None
    if remembered.needs_key and key is None:
        return Finding(
            name="patients",
            found="whether the rule remembers any of these patients is not checked",
            expected="those who took part were remembered by a key",
            advice=f"Give that key ({ADVISED['patient_key', None]}).",
        )
    again = remembered.count(names.tolist(), key)
    if not again:
        return None
    return Finding(
        name="patients",
        severity=REFUSE,
        found=f"the rule remembers {again} of these {patients.n_patients} patients",
        expected="they took part",
        advice="Those who made the rule say nothing new about it; leave them out.",
    )


def _all_single(counts: IntArray, usual: InstancesPart) -> bool:
    """Whether all patients have one of what those of the rule had several of, and not by chance."""
    strange = usual.smallest > 1 or (usual.median > 1 and counts.size >= SURE)
    return strange and int(counts.max()) == 1


def _span(usual: InstancesPart) -> str:
    return f"{usual.smallest} to {usual.largest} (median {usual.median:g})"


Check = Callable[[Expected, PatientScores], Finding | None]
WARNING: tuple[Check, ...] = (check_range, check_unit, check_instances, check_sites)
CHECKS: tuple[Check, ...] = (*WARNING, check_aggregation, check_levels)
