"""The verdict of a fit: whether the cut-off is useful, and as good as somebody asked for.

"Useful" compares it with calling everybody or nobody, by the patients used to check. Exact tests
give the answer if other patients chose the cut-off; otherwise limits that hold at all cut-offs. A
"yes" also needs a certificate below the cost of calling everybody or nobody. Each answer is wrong
with probability at most delta.
"""

import math
from typing import Any

from steadycut.core import verdict
from steadycut.core.certify import Certificate
from steadycut.core.checks import IntArray
from steadycut.core.records import Costs
from steadycut.core.strata.costs import CostMatrix
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.parts import CertificatePart
from steadycut.documents.study import StudyVerdictPart
from steadycut.study.fitted import FittedStudy


def study_verdict(study: FittedStudy) -> StudyVerdictPart:
    """Return the answers, and how many patients in all would show that it is useful."""
    compared = comparison_of(study)
    useful = useful_answer(study, compared, study.certificate.delta)
    rates = [one.answer for one in study.certified_rates]
    rates += [study.certified_cost.answer] if study.certified_cost else []
    as_asked = verdict.worst_answer(rates) if rates else None
    return StudyVerdictPart(
        overall=verdict.OVERALL[verdict.worst_answer([useful, *rates])],
        useful=useful,
        as_asked=as_asked,
        patients_needed=patients_needed(study, compared) if useful == "cannot tell" else None,
    )


def verdict_of_rule(rule: FrozenFile[Any]) -> StudyVerdictPart | None:
    """Return the verdict of a frozen file, from the counts in it; None if it has none."""
    counts, matrix = rule.reference_counts, rule.cost_matrix
    if counts is None:
        return None
    rounded = rule.rounded == "small cells"
    return verdict_of_counts(counts, rule.certificate, matrix, rule.costs, rounded=rounded)


def verdict_of_counts(
    here: IntArray,
    certificate: Certificate | CertificatePart,
    matrix: CostMatrix,
    costs: Costs | None = None,
    *,
    rounded: bool = False,
) -> StudyVerdictPart:
    """Return the verdict of any decision that other patients chose than those counted here.

    ``here`` counts them by grade and action. ``costs`` are those of two grades and two actions, if
    they say more than the matrix: at which prevalence they count. ``rounded`` says that errors may
    be counted too high; then nothing is answered with no.
    """
    plain = costs or matrix.of_one_cut_off
    compared = _comparison(here, certificate, matrix, plain, rounded=rounded)
    found = _tested(compared, certificate.delta)
    useful: verdict.Answer = "cannot tell" if found == "yes" and certificate.vacuous else found
    return StudyVerdictPart(overall=verdict.OVERALL[useful], useful=useful)


def comparison_of(study: FittedStudy) -> verdict.Comparison:
    """Return what the tests need of the patients used to check."""
    here, costs = study.counts.counts, study.options.search.costs
    matrix = CostMatrix.of_errors(costs.cost_fn, costs.cost_fp)
    return _comparison(here, study.certificate, matrix, costs, rounded=study.has_unknown)


def _comparison(
    here: IntArray,
    certificate: Certificate | CertificatePart,
    matrix: CostMatrix,
    costs: Costs | None,
    *,
    rounded: bool,
) -> verdict.Comparison:
    return verdict.Comparison(
        here=here,
        matrix=matrix,
        costs=costs,
        promised=certificate.value,
        vacuous=certificate.vacuous,
        own_choices=certificate.n_candidates if certificate.honesty == "uniform" else 0,
        rounded=rounded,
    )


def useful_answer(study: FittedStudy, compared: verdict.Comparison, delta: float) -> verdict.Answer:
    """Say whether these patients show that the cut-off is useful."""
    found = _tested(compared, delta)
    if found == "yes" and _is_vacuous(study, compared, delta):
        return "cannot tell"
    return found


def _tested(compared: verdict.Comparison, delta: float) -> verdict.Answer:
    """Compare the cut-off with calling everybody and with calling nobody."""
    if verdict.holm(compared.tests_for_no.get("useful", ()), delta):
        return "no"
    shown = all(test(delta) for test in compared.tests_for_yes["useful"])
    return "yes" if shown else "cannot tell"


def _is_vacuous(study: FittedStudy, compared: verdict.Comparison, delta: float) -> bool:
    """Whether the certificate would not be below the cost of calling everybody or nobody."""
    found, costs = study.certificate, study.options.search.costs
    if compared.confusion == study.counts:
        return found.vacuous
    # The betting bound needs single losses; the others need counts alone.
    bound = "auto" if found.bound == "betting" else found.bound
    return found.again(compared.confusion, costs, delta, bound).vacuous


def patients_needed(study: FittedStudy, compared: verdict.Comparison) -> int | None:
    """Return how many patients in all show that it is useful, at the observed rates."""
    if compared.observed_cost >= compared.cost_without_score:
        return None
    level = verdict.strict_level(study.certificate.delta)

    def is_tested(n: int) -> bool:
        return _tested(compared.scaled_to(n), level) == "yes"

    def is_enough(n: int) -> bool:
        return useful_answer(study, compared.scaled_to(n), level) == "yes"

    # The tests are fast, certificates at unequal costs are not.
    found = verdict.smallest_number(is_tested, study.counts.n_patients)
    if found is not None and not is_enough(found):
        found = verdict.smallest_number(is_enough, found)
    share = study.options.certify_size if study.options.honesty == "split" else 1.0
    return None if found is None else math.ceil(found / share)
