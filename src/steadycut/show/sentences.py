"""Results in sentences that need no statistics to be read."""

from collections.abc import Sequence

from steadycut.core.aggregate.aggregators import AGGREGATORS
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.documents import parts
from steadycut.documents.audit import AuditDocument
from steadycut.documents.parts import Range, Step
from steadycut.documents.rule import RuleDocument
from steadycut.documents.study import StudyDocument
from steadycut.show.numbers import count, cut, of_hundred, percent, risk


def quoted(name: object) -> str:
    """Return a name of the user's in quotation marks."""
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


def aggregation_in_words(score: str, chain: Sequence[Step]) -> str:
    """Say how a patient's score is made, the last step first.

    Examples
    --------
    >>> chain = [Step(level="slide", how="max"), Step(level="patient", how="quantile:0.9")]
    >>> print(aggregation_in_words("p", chain))
    the 0.9 quantile of the largest value of “p” in each “slide”
    """
    text = quoted(score)
    for place, step in enumerate(chain, start=1):
        name, _, number = step.how.partition(":")
        if name in AGGREGATORS:
            words = AGGREGATORS[name].words
            text = words.replace("{number}", number).replace("{inner}", text)
        else:
            text = f"{quoted(step.how)} of {text}"
        if place < len(chain):
            text += f" in each {quoted(step.level)}"
    return text


def is_score_itself(chain: Sequence[Step], n_patients: int, data: parts.DataPart | None) -> bool:
    """Tell whether every patient has one row, so that the mean of the score is the score."""
    one_row = data is not None and data.rows - data.dropped_rows == n_patients
    return one_row and [step.how for step in chain] == ["mean"]


def n_patients(document: StudyDocument | AuditDocument) -> int:
    """Return how many patients there are."""
    return document.patients.total if isinstance(document, StudyDocument) else document.n_patients


def score_in_words(document: StudyDocument | AuditDocument) -> str:
    """Say how a patient's score is made: by one chain, or by an ensemble of several."""
    if not document.ensemble:
        if is_score_itself(document.aggregation, n_patients(document), document.data):
            return quoted(document.score)
        return aggregation_in_words(document.score, document.aggregation)
    parts = [
        f"{aggregation_in_words(method.score, method.aggregation)} "
        f"(weight {percent(method.weight)})"
        for method in document.ensemble.methods
    ]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"the mean of the quantiles, among the patients who chose, of {listed}"


def chain_in_short(chain: Sequence[Step]) -> str:
    """Return a chain for the cell of a table, such as ``slide max, patient mean``."""
    return ", ".join(f"{step.level} {step.how}" for step in chain)


def bound_in_words(name: str) -> str:
    """Say which inequality a bound is."""
    return f"{name} ({BOUNDS[name].words})" if name in BOUNDS else name


def rule_sentence(document: StudyDocument | AuditDocument) -> str:
    """Say when a patient is called positive."""
    return call_sentence(score_in_words(document), document.direction, document.threshold)


def call_sentence(score: str, direction: str, threshold: float) -> str:
    """Say when a patient is called positive, with the score in words."""
    side = "at least" if direction == "ge" else "at most"
    return f"Call a patient positive when {score} is {side} {cut(threshold)}."


def coarse_rule_sentences(
    rule: RuleDocument, data: parts.DataPart, small_cells: int
) -> tuple[str, ...]:
    """Say of a rule without small cells no more than the file itself does."""
    score, certificate = rule.columns.score, rule.certificate
    one_row = is_score_itself(rule.aggregation, rule.provenance.patients.total, data)
    made = quoted(score) if one_row else aggregation_in_words(score, rule.aggregation)
    return (
        call_sentence(made, rule.direction, rule.threshold),
        (
            f"The certified risk is at most {risk(certificate.value)} "
            f"({percent(1 - certificate.delta)} confidence)."
        ),
        (
            f"No number in the file stands for fewer than {small_cells} patients; its certificate "
            "is of counts that were rounded against it."
        ),
    )


def risk_in_words(value: float, costs: parts.CostsPart) -> str:
    """Say an observed risk: a share of patients, or with unequal costs a cost."""
    if costs.equal:
        return f"{percent(value / costs.cost_fn)} of patients decided wrongly"
    return f"an average cost of {risk(value)} per patient"


def limit_sentence(value: float, costs: parts.CostsPart, delta: float, who: str) -> str:
    """Say an upper limit on the risk of patients like ``who``."""
    confidence = f"(with {percent(1 - delta)} confidence)"
    if costs.equal:
        wrong = of_hundred(value / costs.cost_fn)
        return f"This is wrong in at most {wrong} patients like those {who} {confidence}."
    return (
        f"The average cost per patient like those {who} is at most {risk(value)} "
        f"{confidence}, where {costs_in_words(costs)}."
    )


def costs_in_words(costs: parts.CostsPart) -> str:
    """Say what the two errors cost."""
    if costs.equal:
        return f"a missed patient and a false alarm cost {costs.cost_fn:g} each"
    return f"a missed patient costs {costs.cost_fn:g} and a false alarm {costs.cost_fp:g}"


def prevalence_in_words(target: Range | None) -> str:
    """Say at which prevalence risk is taken."""
    if target is None:
        return "that of the patients at hand"
    low, high = (percent(end) for end in target)
    return low if low == high else f"the worse end of {low} to {high}"


def limit_in_short(value: float, costs: parts.CostsPart) -> str:
    """Write an upper limit on a risk in a few words."""
    wrong = f"{of_hundred(value / costs.cost_fn)} wrong"
    return wrong if costs.equal else f"cost {risk(value)}"


def observed_in_short(value: float, costs: parts.CostsPart) -> str:
    """Write an observed risk in a few words."""
    wrong = f"{percent(value / costs.cost_fn)} wrong"
    return wrong if costs.equal else f"cost {risk(value)}"


def roles_in_words(patients: parts.RoleCounts, honesty: str = "split") -> str:
    """Say how many patients there are, who chose and who certifies."""
    all_of_them = f"{count(patients.total, 'patient')}, {patients.positive} of them positive"
    if honesty == "uniform":
        return f"{all_of_them}: all of them chose the cut-off and certify it"
    others = count(patients.certify, "other certifies", "others certify")
    return (
        f"{all_of_them}: {patients.select} chose the cut-off ({patients.select_positive} "
        f"positive), {others} it ({patients.certify_positive} positive)"
    )


def errors_sentence(point: parts.CountsPart, who: str) -> str:
    """Say how many errors were seen."""
    total = point.tp + point.fn + point.fp + point.tn
    wrong = count(point.fn + point.fp, "time")
    return (
        f"Among {count(total, 'patient')} {who} it was wrong {wrong}: "
        f"{point.fn} of {count(point.tp + point.fn, 'positive patient')} missed, "
        f"{count(point.fp, 'false alarm')} in {count(point.fp + point.tn, 'negative patient')}."
    )


def vacuous_sentence(
    costs: parts.CostsPart, certificate: parts.CertificatePart, prevalence: float
) -> str:
    """Say that a certificate proves nothing, and why."""
    nobody = costs.cost_fn * prevalence
    everybody = costs.cost_fp * (1 - prevalence)
    rule = "calling nobody positive" if nobody <= everybody else "calling everybody positive"
    without = risk_in_words(certificate.trivial_risk, costs)
    if certificate.risk < certificate.trivial_risk:
        end = "More certifying patients would make it sharper."
    else:
        end = "What was observed at this cut-off is no better."
    return (
        "This certificate is vacuous: it does not show that the score is of any use, because "
        f"{rule} without looking at any score gives {without} "
        f"among the same patients. {end}"
    )
