"""Cut-offs by covariate: one for each group, or along a number, drawn to the pooled one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import FloatArray, as_array, check_choice, check_length, read_only
from steadycut.core.confusion import Confusion
from steadycut.core.covariate.cuts import CovariateCuts, choose_by_covariate
from steadycut.core.covariate.design import KINDS, Design, group_design, smooth_design
from steadycut.core.covariate.one_cut_test import CovariateTest, common_cut_test
from steadycut.core.covariate.slices import CutScale, Slices, slice_patients
from steadycut.core.diagnose import class_warnings
from steadycut.core.intervals.paired import paired_difference
from steadycut.core.records import PatientScores, check_patients
from steadycut.core.split import Roles
from steadycut.errors import BadOption, BadPatients
from steadycut.study.fit import Options, check_both_classes, deal_roles, study_options

if TYPE_CHECKING:
    from steadycut.documents.covariate import CovariateRule

RULES = ("stable", "erm")
# With less of a group among the scores of the others its patients are hardly comparable.
LEAST_OVERLAP = 0.5
# A whole number as tables write floats. No other number: 1.10 may be a version, and not 1.1.
WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]{0,14}))\.0+")

Covariate = str | Mapping[Any, object] | ArrayLike
Values = NDArray[np.str_] | FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CutRule:
    """The cuts themselves: how to decide about a patient with a score and a covariate.

    ``ranks`` has one entry a window of the design, ``draws`` one row a resampled study.
    """

    design: Design
    scale: CutScale
    sign: float
    ranks: FloatArray
    draws: FloatArray

    def thresholds(self, covariate: Values) -> FloatArray:
        """Return the cut-off of each patient, in the units of the score."""
        return self.sign * self.scale.at(self.design.at(self.ranks, covariate)) + 0.0

    def decide(self, scores: FloatArray, covariate: Values) -> NDArray[np.int8]:
        """Return 1 for every patient who is called, else 0."""
        called = self.sign * scores >= self.sign * self.thresholds(covariate)
        return called.astype(np.int8)

    def flip_probability(self, scores: FloatArray, covariate: Values) -> FloatArray:
        """Return how often a resampled study would decide otherwise, for each patient."""
        decision = self.decide(scores, covariate) == 1
        flips = np.zeros(scores.size)
        for ranks in self.draws:
            called = self.sign * scores >= self.scale.at(self.design.at(ranks, covariate))
            flips += called != decision
        return flips / len(self.draws)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Difference:
    """Risk of the rule by covariate minus that of the pooled cut, on the certifying patients.

    With probability 1 - ``delta`` the true difference is at most ``upper``: below 0 the rule by
    covariate is proven to have less risk.
    """

    risk: float
    standard_error: float
    upper: float
    delta: float

    def to_dict(self) -> dict[str, float]:
        """Return the difference as plain numbers."""
        return {
            "risk": self.risk,
            "standard_error": self.standard_error,
            "upper": self.upper,
            "delta": self.delta,
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CovariateStudy:
    """Cut-offs by covariate, what they are worth, and the pooled cut-off beside them.

    ``test`` asks whether one cut-off would do; it saw the choosing patients only. ``groups`` holds
    a certificate for each group at delta / number of groups, so that all of them hold at once;
    None for a group without certifying patients, empty for a number.
    """

    options: Options
    patients: PatientScores
    covariate: Values
    name: str
    roles: Roles
    cuts: CovariateCuts
    rule: CutRule
    pooled_threshold: float
    test: CovariateTest
    certificate: Certificate
    counts: Confusion
    pooled_certificate: Certificate
    groups: tuple[Certificate | None, ...]
    difference: Difference

    @property
    def kind(self) -> str:
        """``"groups"`` or ``"smooth"``."""
        return self.rule.design.kind

    @property
    def positions(self) -> list[str] | list[float]:
        """The groups, or the values of the covariate between which the cut-off is interpolated."""
        anchors = self.rule.design.anchors
        return list(self.rule.design.names) if anchors is None else anchors.tolist()

    @property
    def thresholds(self) -> FloatArray:
        """The cut-off at each position."""
        return self._placed(self.cuts.ranks)

    @property
    def own_thresholds(self) -> FloatArray:
        """What each group or window would have chosen alone."""
        return self._placed(self.cuts.own)

    def _placed(self, ranks: FloatArray) -> FloatArray:
        return self.options.sign * self.rule.scale.at(ranks) + 0.0

    def decide(self, scores: FloatArray, covariate: Values) -> NDArray[np.int8]:
        """Return 1 for every patient who is called, else 0."""
        return self.rule.decide(np.asarray(scores, dtype=np.float64), covariate)

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the certifying patients."""
        who = self.roles.certify
        return float(
            self.rule.flip_probability(self.patients.scores[who], self.covariate[who]).mean()
        )

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        found = []
        chose = self.patients.take(self.roles.select)
        groups = self.covariate[self.roles.select]
        for group in self.rule.design.names:
            inside = groups == group
            n, positive = int(inside.sum()), int(chose.known_labels[inside].sum())
            found += class_warnings(f"of group '{group}' choose", positive, n - positive)
            if is_apart(chose.scores[inside], chose.scores[~inside]):
                found.append(
                    f"scores of group '{group}' hardly overlap with those of the others, as in "
                    "another unit; no patients of like scores can be compared, so that the test "
                    "and the weights say little. Bring them to one scale, or fit the group alone."
                )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``covariate_study.json``."""
        from steadycut.documents.covariate import study_summary

        return study_summary(self)

    def freeze(self) -> "CovariateRule":
        """Return the rule to take to the next hospital."""
        from steadycut.documents.covariate import CovariateRule

        return CovariateRule.from_study(self)


def is_apart(scores: FloatArray, others: FloatArray) -> bool:
    """Return whether most scores lie beyond all those of the others."""
    if not scores.size or not others.size:
        return False
    inside = (scores >= others.min()) & (scores <= others.max())
    return bool(inside.mean() < LEAST_OVERLAP)


def fit_by_covariate(
    patients: PatientScores,
    *,
    covariate: Covariate,
    kind: str = "groups",
    name: str = "covariate",
    rule: str = "stable",
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    direction: str = "ge",
    n_bootstrap: int = 200,
    delta: float = 0.1,
    certify_size: float = 0.5,
    seed: int = 0,
) -> CovariateStudy:
    """Choose, test and certify cut-offs that depend on a covariate.

    Parameters
    ----------
    patients
        Patient scores with labels.
    covariate
        One entry a patient in the order of ``patients.scores``, a mapping from identifiers, or
        ``"site"``.
    kind
        ``"groups"``: one cut-off a group. ``"smooth"``: a continuous function of a number.
    name
        What the covariate is called, such as the column of a table that holds it.
    rule
        How a cut is chosen along the scores, ``stable`` or ``erm``: those that minimise risk,
        which is what the test and the shrinkage are about.
    cost_fn, cost_fp
        What a missed patient and a false alarm cost.
    direction
        ``"ge"`` calls high scores, ``"le"`` low ones.
    n_bootstrap
        How often the patients are resampled and everything is chosen again.
    delta
        Failure probability of the certificate of the rule; as well of the pooled one, of all
        groups together, and of the difference.
    certify_size
        Share of the patients who certify.
    seed
        Same patients, same options, same seed: same study, to the last bit.

    Returns
    -------
    CovariateStudy

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sex, labels = rng.integers(0, 2, 800), rng.integers(0, 2, 800)
    >>> cohort = PatientScores(scores=rng.normal(size=800) + 2 * labels + 1.5 * sex, labels=labels)
    >>> study = fit_by_covariate(cohort, covariate=np.where(sex, "m", "f"))
    >>> study.positions, study.thresholds.round(1), study.test.p_value < 0.01
    (['f', 'm'], array([1.2, 2.7]), True)
    """
    check_choice("kind", kind, KINDS)
    check_choice("rule", rule, RULES)
    options = study_options(
        rule=rule,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        direction=direction,
        grid="exact",
        n_bootstrap=n_bootstrap,
        delta=delta,
        certify_size=certify_size,
        seed=seed,
    )
    check_patients(patients)
    check_both_classes(patients)
    values = covariate_values(patients, covariate, kind)
    roles = deal_roles(patients, options)
    chosen = patients.oriented(direction).take(roles.select)
    design, codes = make_design(values, roles, kind)
    everyone = patients.oriented(direction).scores
    slices = slice_patients(chosen, codes, design.n_slices, everyone)
    _, seed_of_draws = np.random.SeedSequence(options.seed).spawn(2)
    search = options.search
    cuts = choose_by_covariate(
        slices,
        design,
        search.chooser,
        search.costs,
        search.n_bootstrap,
        np.random.default_rng(seed_of_draws),
    )
    return certify_by_covariate(patients, values, name, options, roles, design, slices, cuts)


def make_design(values: Values, roles: Roles, kind: str) -> tuple[Design, NDArray[np.int64]]:
    """Return the design and the slice of each choosing patient."""
    if kind == "smooth":
        return smooth_design(np.asarray(values[roles.select], dtype=np.float64))
    # Groups are those of all patients: who is in one is known before any label.
    design = group_design(np.asarray(values, dtype=np.str_))
    return design, design.codes(values[roles.select])


def certify_by_covariate(
    patients: PatientScores,
    values: Values,
    name: str,
    options: Options,
    roles: Roles,
    design: Design,
    slices: Slices,
    cuts: CovariateCuts,
) -> CovariateStudy:
    """Test and certify what was chosen, and put the study together."""
    rule = CutRule(
        design=design, scale=slices.scale, sign=options.sign, ranks=cuts.ranks, draws=cuts.draws
    )
    costs, delta = options.search.costs, options.search.delta
    pooled = options.sign * float(slices.scale.at(np.array([cuts.pooled]))[0]) + 0.0
    who = roles.certify
    scores, labels, own = patients.scores[who], patients.known_labels[who], values[who]
    called = rule.decide(scores, own) == 1
    called_pooled = options.sign * scores >= options.sign * pooled
    counts = _confusion(labels, called)
    return CovariateStudy(
        options=options,
        patients=patients,
        covariate=values,
        name=name,
        roles=roles,
        cuts=cuts,
        rule=rule,
        pooled_threshold=pooled,
        test=common_cut_test(slices.cells, design.basis, cuts.pooled),
        certificate=certificate_of(counts, costs, delta),
        counts=counts,
        pooled_certificate=certificate_of(_confusion(labels, called_pooled), costs, delta),
        groups=_certify_groups(labels, called, own, design, options),
        difference=_difference(labels, called, called_pooled, options),
    )


def _certify_groups(
    labels: NDArray[np.int8],
    called: NDArray[np.bool_],
    groups: Values,
    design: Design,
    options: Options,
) -> tuple[Certificate | None, ...]:
    share = options.search.delta / max(len(design.names), 1)
    inside = [groups == name for name in design.names]
    return tuple(
        certificate_of(_confusion(labels[one], called[one]), options.search.costs, share)
        if one.any()
        else None
        for one in inside
    )


def _difference(
    labels: NDArray[np.int8],
    called: NDArray[np.bool_],
    other: NDArray[np.bool_],
    options: Options,
) -> Difference:
    costs, delta = options.search.costs, options.search.delta
    positive = labels == 1
    mean, error = paired_difference(labels, called != positive, other != positive, costs)
    price = np.where(positive, costs.cost_fn, costs.cost_fp) / costs.largest
    losses = price * ((called != positive).astype(float) - (other != positive))
    # Between -1 and 1, and betting wants losses between 0 and 1.
    limit = costs.largest * (2 * betting_limit((losses + 1) / 2, delta) - 1)
    return Difference(risk=mean, standard_error=error, upper=limit, delta=delta)


def _confusion(labels: NDArray[np.int8], called: NDArray[np.bool_]) -> Confusion:
    positive = labels == 1
    return Confusion(
        tp=int(np.count_nonzero(called & positive)),
        fn=int(np.count_nonzero(~called & positive)),
        fp=int(np.count_nonzero(called & ~positive)),
        tn=int(np.count_nonzero(~called & ~positive)),
    )


def covariate_values(patients: PatientScores, covariate: Covariate, kind: str) -> Values:
    """Return the covariate of each patient: texts of groups, or finite numbers."""
    column = _column(patients, covariate)
    if column.ndim != 1:
        msg = f"covariate must have one entry a patient; got shape {column.shape}."
        raise BadPatients(msg)
    check_length("covariate", column, patients.n_patients)
    return as_numbers(column) if kind == "smooth" else as_groups(column)


def _column(patients: PatientScores, covariate: Covariate) -> NDArray[Any]:
    if isinstance(covariate, str):
        if covariate != "site" or patients.sites is None:
            msg = (
                "covariate must be one entry a patient, a mapping from identifiers, or 'site' "
                f"where sites are known; got {covariate!r}."
            )
            raise BadOption(msg)
        return patients.sites
    if not isinstance(covariate, Mapping):
        return as_array("covariate", covariate)
    if patients.patients is None:
        msg = (
            "a mapping of the covariate needs patients with identifiers; give one entry a patient."
        )
        raise BadPatients(msg)
    known = {str(name): value for name, value in covariate.items()}
    missing = sum(name not in known for name in patients.patients.tolist())
    if missing:
        msg = f"every patient must have a covariate; {missing} of {patients.n_patients} have none."
        raise BadPatients(msg)
    return np.array([known[name] for name in patients.patients.tolist()])


def as_groups(column: NDArray[Any], known: Sequence[str] = ()) -> NDArray[np.str_]:
    """Return groups as texts, known ones by the names that they have; a missing one is refused.

    Whole numbers are the same group however a table stores them: 1, 1.0 and ``"1.0"``.

    Examples
    --------
    >>> as_groups(np.array(["1.0", "2", "2.50"])).tolist()
    ['1', '2', '2.50']
    >>> as_groups(np.array([1, 2]), known=["1.0", "2.0"]).tolist()
    ['1.0', '2.0']
    """
    names = {_plain(name): name for name in known} | {name: name for name in known}
    found = map(_group_text, column.tolist())
    plain = [names.get(text, names.get(_plain(text), _plain(text))) for text in found]
    texts = np.array(plain, dtype=np.str_)
    n_missing = int(np.count_nonzero(texts == ""))
    if n_missing:
        msg = (
            f"every patient must have a covariate; {n_missing} of {texts.size} have none. Fill it "
            "in, or make the missing ones a group of their own."
        )
        raise BadPatients(msg)
    return read_only(texts)


def _group_text(value: object) -> str:
    missing = value is None or (isinstance(value, float) and np.isnan(value))
    whole = isinstance(value, float) and not missing and value.is_integer()
    return "" if missing else str(int(value) if whole else value).strip()  # type: ignore[call-overload]


def _plain(text: str) -> str:
    whole = WHOLE.fullmatch(text)
    return str(int(whole[1])) if whole else text


def as_numbers(column: NDArray[Any]) -> FloatArray:
    """Return a numeric covariate; what is no finite number is refused."""
    try:
        numbers = column.astype(np.float64)
    except (TypeError, ValueError):
        msg = (
            "a smooth cut-off needs a covariate of numbers; some are other text. Mend them, or "
            "take kind='groups' (--kind groups)."
        )
        raise BadPatients(msg) from None
    n_bad = int(np.count_nonzero(~np.isfinite(numbers)))
    if n_bad:
        msg = (
            f"every patient must have a covariate that is a finite number; {n_bad} of "
            f"{numbers.size} have none. Fill it in, or remove these patients."
        )
        raise BadPatients(msg)
    return read_only(numbers)
