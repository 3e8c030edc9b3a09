"""The paper's tables: every rule chooses at hospital P, and is judged at hospital Q."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Unpack

import numpy as np

from steadycut.core.checks import (
    BoolArray,
    FloatArray,
    LabelArray,
    TextArray,
    check_flag,
    shown_groups,
)
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors, risk_at_cuts
from steadycut.core.intervals.paired import is_cheaper, paired_difference
from steadycut.core.records import LABELLED, Costs, PatientScores, check_same_patients
from steadycut.core.rules.best_criterion import name_of
from steadycut.core.rules.registry import Counted
from steadycut.core.sites import site_names
from steadycut.core.verdict import holm
from steadycut.documents import comparison as documents
from steadycut.documents.guards import check_deployment
from steadycut.documents.shown import LOOK, Shown
from steadycut.errors import (
    BadOption,
    BadPatients,
    BadRuleFile,
    PatientOverlap,
    argument,
    explains_calls,
    warn_each,
)
from steadycut.study.choosing import Progress
from steadycut.study.describe import steps_of
from steadycut.study.fit import Several, Study, as_candidates, make_study
from steadycut.study.options import FitOptions, Options

OURS, REFERENCE = "stable", "erm"
FIXED_RATES = ("sensitivity:0.95", "specificity:0.90")
RULES = (OURS, REFERENCE, "logistic", "youden", *FIXED_RATES)
# The paper's Algorithm 1, ERM along the cuts and J over the candidates, and its ablations.
PAPER = {"Algorithm 1": "objective", "Abl.: no penalty": "risk", "Abl.: no bias": "no-bias"}
# The paper's cost table: what a miss and what a false alarm costs.
COST_TABLE = ((1.0, 1.0), (1.0, 3.0), (3.0, 1.0))
NO_SITES = np.array([], dtype=np.str_)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Row:
    """One rule: its study at P and what it does at Q.

    ``wrong`` says which patients at Q are decided wrongly, ``flips`` how often each decision
    would flip. ``best_external`` is the smallest risk that any cut of the same score has at Q. That
    cut is only known afterwards, so it is a yardstick and not a rule.
    """

    name: str
    study: Study
    external: Confusion
    labels: LabelArray
    wrong: BoolArray
    flips: FloatArray
    best_external: float

    @property
    def costs(self) -> Costs:
        """What errors cost in this row."""
        return self.study.options.search.costs

    def describe(
        self,
        reference: "Row | None" = None,
        against_fixed: documents.Against | None = None,
        n_rows: int = 1,
        places: TextArray = NO_SITES,
    ) -> documents.ComparedRule:
        """Return the row as it is written; ``shift`` is R_Q - R_validation, as in the paper."""
        study, search = self.study, self.study.options.search
        difference, error = (None, None) if reference is None else self._against(reference)
        return documents.ComparedRule.of(
            *(self, study, study.chosen, search),
            **self._risks(),
            difference=difference,
            difference_se=error,
            rule=str(search.rule),
            flip_rate=float(self.flips.mean()),
            flip_rate_se=float(self.flips.std() / np.sqrt(self.flips.size)),
            certificate_alone=study.certificate.value,
            certificate_together=self.certificate_at(study.certificate.delta / n_rows),
            sensitivity_external=self.external.sensitivity,
            specificity_external=self.external.specificity,
            against_fixed=against_fixed,
            sites=[self.at_site(name, places == name) for name in sorted({*places})] or None,
        )

    def at_site(self, name: str, here: BoolArray) -> documents.ComparedSite:
        """Return what the rule does to the patients of one site."""
        labels = self.labels[here]
        counts = Confusion.of_calls(labels, self.wrong[here] != (labels == 1))
        return documents.ComparedSite.of(
            counts, site=name, risk=counts.risk(self.costs), trivial=counts.trivial_risk(self.costs)
        )

    def certificate_at(self, delta: float) -> float:
        """Return the certified risk at another failure probability."""
        return self.study.certificate.again(self.study.counts, self.costs, delta).value

    def describe_costs(self) -> documents.ComparedCosts:
        """Return the row of the cost table as it is written."""
        trivial = self.external.trivial_risk(self.costs)
        return documents.ComparedCosts.of(self.costs, **self._risks(), trivial_external=trivial)

    def _risks(self) -> dict[str, object]:
        """Return what was chosen, and the risk at both hospitals with standard errors."""
        external, validation = self.external.risk(self.costs), self.study.counts.risk(self.costs)
        errors = [part.standard_error(self.costs) for part in (self.external, self.study.counts)]
        return {
            "score": self.study.chosen.recipe.score,
            "aggregation": steps_of(self.study.chosen.recipe),
            "threshold": self.study.threshold,
            "risk_external": external,
            "risk_external_se": errors[0],
            "risk_validation": validation,
            "risk_validation_se": errors[1],
            "shift": external - validation,
            "shift_se": math.hypot(*errors),
            "best_external": self.best_external,
        }

    def _against(self, reference: "Row") -> tuple[float, float]:
        """Return the risk at Q minus that of the reference on the same patients, and its error."""
        return paired_difference(self.labels, self.wrong, reference.wrong, self.costs)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Comparison(Shown):
    """The rows of the table, and the two hospitals that they are about.

    The first row is the rule that was fixed beforehand; the others are compared with it.
    ``costs`` are rows of our own rule at the paper's three pairs of costs and the one asked for.
    ``warnings`` are those of the first rule's study, and how the external patients differ.
    ``places`` are the sites of the external patients, if there are several.
    """

    rows: tuple[Row, ...]
    costs: tuple[Row, ...]
    options: Options
    n_internal: int
    n_external: int
    trivial_external: float
    warnings: tuple[str, ...]
    places: TextArray
    _lists: ClassVar = {"rules": "rows", "costs": "cost_table"}

    def __repr__(self) -> str:
        """Return the average costs in a few lines; no patient is shown."""
        risks = ", ".join(f"{row.name} {row.external.risk(row.costs):.3g}" for row in self.rows)
        return (
            f"Comparison of {len(self.rows)} rules on {self.n_external} patients; average cost:\n"
            f"{risks}\n{LOOK}"
        )

    def describe(self) -> documents.ComparisonDocument:
        """Return everything that was found, as one typed record."""
        reference = next((row for row in self.rows if row.name == REFERENCE), None)
        return documents.ComparisonDocument.of(
            *(self, self.options, self.options.search),
            costs=self.options.search.costs,
            patients=documents.HospitalCounts(internal=self.n_internal, external=self.n_external),
            reference=None if reference is None else reference.name,
            fixed=self.rows[0].name,
            rows=[
                row.describe(reference, answer, len(self.rows), self.places)
                for row, answer in zip(self.rows, self.against_fixed(), strict=True)
            ],
            cost_table=[row.describe_costs() for row in self.costs],
        )

    def against_fixed(self) -> list[documents.Against | None]:
        """Say which rules cost less or more at Q than the first one, beyond chance.

        Any of these answers is wrong with probability at most delta, by Holm's method.
        """
        first, *others = self.rows
        pairs = [pair for row in others for pair in ((row, first), (first, row))]
        passed = holm([partial(_is_cheaper, *pair) for pair in pairs], self.options.search.delta)
        found: list[documents.Against | None] = [None]
        for place in range(len(others)):
            costs_less, costs_more = 2 * place in passed, 2 * place + 1 in passed
            found.append("less" if costs_less else "more" if costs_more else "cannot tell")
        return found


def _is_cheaper(row: Row, other: Row, level: float) -> bool:
    """Whether a rule is shown to cost less at Q than another one."""
    same = row.study.patients is other.study.patients
    return is_cheaper(row.labels, row.wrong, other.wrong, row.costs, level, same_score=same)


@explains_calls
def compare(
    internal: Several,
    external: Several,
    *,
    rules: Sequence[str | Counted] | None = None,
    cost_table: bool = True,
    progress: Progress | None = None,
    **options: Unpack[FitOptions],
) -> Comparison:
    """Let every rule choose a cut-off at P, and see what it does at Q.

    Parameters
    ----------
    internal, external
        Patients of hospital P and of hospital Q, with labels; the same candidates in the same
        order for both. Nothing is chosen on Q.
    rules
        The rules to compare, names or functions of the counts; default all of `RULES` (an
        ensemble has no ``logistic``). The first one is the rule that you fixed beforehand. With
        ``stable`` and several candidates there are three more rows: the paper's Algorithm 1
        (``erm``, and J over the candidates), and its ablations (no penalty, no bias).
    cost_table
        Whether ``stable``, if it is among the rules, is also judged at the costs (1, 1), (1, 3)
        and (3, 1) of a miss and a false alarm, beside those of the options.
    progress
        Called with a text, the number of steps done and the number of steps.
    **options
        Options of `steadycut.fit`, the same for every rule, except ``certify`` and ``test_size``.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> p = PatientScores(scores=rng.normal(size=300) + 2 * y, labels=y)
    >>> q = PatientScores(scores=rng.normal(size=300) + 2 * y + 0.5, labels=y)
    >>> table = compare(p, q, rules=["erm", "youden"])
    >>> [row["rule"] for row in table.to_dict()["rows"]]
    ['erm', 'youden']
    """
    here, there = as_candidates(internal), as_candidates(external)
    check_disjoint(here, there)
    for patients in (*here, *there):
        patients.need_scores("most of the rules that are compared need one of everybody")
    check_same_patients(there, "candidates", LABELLED)
    check_flag("cost_table", cost_table)
    for name in ("certify", "certify_cost", "test_size"):
        if options.get(name) is not None:
            raise BadOption(
                f"a comparison does without it: leave out {argument(name)}, and give it to fit for "
                "the rule that you choose."
            )
    rules = default_rules(options) if rules is None else list(rules)
    if not rules or not there[0].n_patients:
        raise BadPatients("a comparison needs at least one rule and one external patient.")
    asked = asked_rows(rules, options, several=len(here) > 1)
    at_costs = cost_rows(options) if cost_table and OURS in rules else {}
    steps = len(asked) + len(at_costs)
    rows: list[Row] = []
    for name, settings in [*asked.items(), *at_costs.items()]:
        if progress:
            progress(name, len(rows), steps)
        rows.append(judge(name, make_study(here, **settings), here, there))
    main, costs = rows[: len(asked)], rows[len(asked) :]
    settled = main[0].study.options
    found = Comparison(
        rows=tuple(main),
        costs=tuple(costs),
        options=settled,
        n_internal=here[0].n_patients,
        n_external=there[0].n_patients,
        trivial_external=main[0].external.trivial_risk(settled.search.costs),
        warnings=(*main[0].study.warnings, *unlike(main[0].study, here, there)),
        places=places_of(there[0]),
    )
    warn_each(found.warnings, stacklevel=3)
    return found


def places_of(patients: PatientScores) -> TextArray:
    """Return the site of each patient under the name that results show; none for a single site."""
    if patients.sites is None or not site_names(patients):
        return NO_SITES
    return shown_groups(patients.sites)


def unlike(study: Study, internal: list[PatientScores], external: list[PatientScores]) -> list[str]:
    """Return how the patients at Q differ from those of the study."""
    try:
        rule = study.freeze()
    except BadRuleFile:  # an aggregator that is a Python function: nothing to compare with
        return []
    found = check_deployment(rule, study.scores_among(internal, external), external)
    return [one.text for one in found]


def default_rules(options: FitOptions) -> list[str]:
    """Return the rules to compare; an ensemble has no rule that looks at distances."""
    spaced = () if options.get("ensemble") is None else ("logistic",)
    return [rule for rule in RULES if rule not in spaced]


def asked_rows(
    rules: Sequence[str | Counted], options: FitOptions, *, several: bool
) -> dict[str, FitOptions]:
    """Return the options of each row by its name: the rules, then the paper's."""
    names = [rule if isinstance(rule, str) else name_of(rule) for rule in rules]
    asked: dict[str, FitOptions] = {
        name: {**options, "rule": rule} for name, rule in zip(names, rules, strict=True)
    }
    if several and OURS in rules and options.get("ensemble") is None:
        for name, selector in PAPER.items():
            asked[name] = {**options, "rule": REFERENCE, "selector": selector}
    return asked


def cost_rows(options: FitOptions) -> dict[str, FitOptions]:
    """Return the options of each row of the cost table; a bound for equal costs need not fit."""
    asked = (float(options.get("cost_fn", 1.0)), float(options.get("cost_fp", 1.0)))
    return {
        f"costs {cost_fn:g}, {cost_fp:g}": {
            **options,
            "rule": OURS,
            "cost_fn": cost_fn,
            "cost_fp": cost_fp,
            "bound": "auto",
        }
        for cost_fn, cost_fp in dict.fromkeys([*COST_TABLE, asked])
    }


def judge(
    name: str, study: Study, internal: list[PatientScores], external: list[PatientScores]
) -> Row:
    """Return what the frozen cut-off of a study does at Q."""
    options = study.options
    patients = study.scores_among(internal, external)
    there = patients.oriented(options.direction)
    called = there.scores >= study.chosen.threshold
    return Row(
        name=name,
        study=study,
        external=confusion_at(there, study.chosen.threshold),
        labels=there.known_labels,
        wrong=called != (there.known_labels == 1),
        flips=study.flip_probability(patients.scores),
        best_external=smallest_risk(there, options.search.costs),
    )


def smallest_risk(patients: PatientScores, costs: Costs) -> float:
    """Return the smallest risk of any cut."""
    return float(risk_at_cuts(count_errors(exact_cuts(patients).cells), costs).min())


def check_disjoint(internal: list[PatientScores], external: list[PatientScores]) -> None:
    """Refuse two lists of candidates that do not match, or that share a patient."""
    names = [
        [one.recipe.score + str(one.recipe.chain) for one in side] for side in (internal, external)
    ]
    if names[0] != names[1]:
        msg = "both hospitals must have the same candidates (score, aggregator) in the same order."
        raise BadPatients(msg)
    if internal[0].patients is None or external[0].patients is None:
        return
    shared = np.intersect1d(internal[0].patients, external[0].patients).size
    if shared:
        raise PatientOverlap(
            f"internal and external patients must differ; {shared} of them appear at both "
            "hospitals. Check the patient and the site column."
        )
