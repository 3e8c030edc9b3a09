"""Results in sentences that need no statistics to be read."""

from collections.abc import Sequence

from steadycut.core.aggregate.aggregators import AGGREGATORS
from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.class_names import DEFAULT, ClassNames, of_them
from steadycut.core.intervals.calibration import Calibration
from steadycut.core.rounding import at_most, of_hundred, of_hundred_at_most, who_is_called
from steadycut.core.verdict import Answer
from steadycut.documents import parts
from steadycut.documents.audit import CutOffAudit
from steadycut.documents.parts import Range
from steadycut.documents.rule import RuleDocument
from steadycut.documents.study import HeldOutPart, StudyDocument, StudyVerdictPart
from steadycut.show.words.audit import at_each_end, capital
from steadycut.show.words.next_step import Spelling, Step
from steadycut.show.words.numbers import count, cut, percent, risk

NOT_USEFUL = Step(
    verb="fit",
    sentence="Next: do not use it. Check the direction and the costs, or take another score.",
)
CROSS_FITTED = "each tenth of the patients was decided by a cut-off that the others chose"
# Rules that weigh the two errors by their costs alone.
BY_COST = ("stable", "erm", "logistic", "adapted")


def quoted(name: object) -> str:
    """Return a name of the user's in quotation marks."""
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


def aggregation_in_words(score: str, chain: Sequence[parts.Step]) -> str:
    """Say how a patient's score is made, the last step first.

    Examples
    --------
    >>> from steadycut.documents.parts import Step
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


def is_score_itself(
    chain: Sequence[parts.Step], n_patients: int, data: parts.DataPart | None
) -> bool:
    """Tell whether every patient has one row, so that the mean of the score is the score."""
    # A patient who was left out had at least one row.
    if data is None or [step.how for step in chain] != ["mean"]:
        return False
    return data.rows - data.dropped_rows - data.dropped_incomplete_patients == n_patients


def score_in_words(document: StudyDocument | CutOffAudit) -> str:
    """Say how a patient's score is made: by one chain, or by an ensemble of several."""
    if not document.ensemble:
        total = (
            document.n_patients if isinstance(document, CutOffAudit) else document.patients.total
        )
        if is_score_itself(document.aggregation, total, document.data):
            return quoted(document.score)
        return aggregation_in_words(document.score, document.aggregation)
    parts = [
        f"{aggregation_in_words(method.score, method.aggregation)} "
        f"(weight {percent(method.weight)})"
        for method in document.ensemble.methods
    ]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"the mean of the quantiles, among the patients used to choose, of {listed}"


def chain_in_short(chain: Sequence[parts.Step]) -> str:
    """Return a chain for the cell of a table, such as ``slide max, patient mean``."""
    return ", ".join(f"{step.level} {step.how}" for step in chain)


def bound_in_words(name: str) -> str:
    """Say which inequality a bound is."""
    return f"{name} ({BOUNDS[name].words})" if name in BOUNDS else name


def rule_sentence(document: StudyDocument | CutOffAudit) -> str:
    """Say when a patient is called."""
    return call_sentence(score_in_words(document), document)


def call_sentence(score: str, document: StudyDocument | CutOffAudit | RuleDocument) -> str:
    """Say when a patient is called, with the score in words."""
    who = who_is_called(document.threshold, document.direction)
    if who:
        pays = "The score does not pay at these costs: the" if document.rule in BY_COST else "The"
        return f"{pays} rule calls {who}, whatever {score} is."
    side = "more" if document.direction == "ge" else "less"
    written = cut(document.threshold)
    return f"Cut-off {written}: call a patient when {score} is {written} or {side}."


def coarse_rule_sentences(
    rule: RuleDocument, data: parts.DataPart, small_cells: int
) -> tuple[str, ...]:
    """Say of a rule without small cells no more than the file itself does."""
    score, certificate = rule.columns.score, rule.certificate
    one_row = is_score_itself(rule.aggregation, rule.provenance.patients.total, data)
    made = quoted(score) if one_row else aggregation_in_words(score, rule.aggregation)
    left_out = "This is about patients with a score: those without were left out."
    return (
        call_sentence(made, rule),
        *((left_out,) if data.dropped_patients else ()),
        (
            f"The certified risk is at most {at_most(certificate.value)} "
            f"({percent(1 - certificate.delta)} confidence)."
        ),
        (
            f"No number in the file stands for fewer than {small_cells} patients; its certificate "
            "is of counts that were rounded against it."
        ),
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
    wrong = f"{of_hundred_at_most(value / costs.cost_fn)} wrong"
    return wrong if costs.equal else f"cost {at_most(value)}"


def certified_sentence(
    certificate: parts.CertificatePart,
    costs: parts.CostsPart,
    useful: Answer | None = None,
    target: Range | None = None,
    cheapest: str = "calling everybody or nobody",
) -> str:
    """Say what was seen and is certified, and what the ``cheapest`` decision without score costs.

    ``useful`` is the answer whether the cut-off is better than that, if it is known. With a range
    of ``target`` prevalences the limit is for the worse end, and "useful" for both ends.
    """
    several = target is not None and target[0] != target[1]
    shares = "" if target is None else prevalence_in_words(target)
    where = f" at {shares} prevalence" if shares else ""
    confidence = f"{where} ({percent(1 - certificate.delta)} confidence)"
    seen = risk(certificate.risk)
    if costs.equal:
        seen = of_hundred(certificate.risk / costs.cost_fn)
        limit = of_hundred_at_most(certificate.value / costs.cost_fn)
        without = of_hundred(certificate.trivial_risk / costs.cost_fn)
        text = f"wrong in at most {limit} patients like these{confidence}"
    else:
        limit, without = at_most(certificate.value), risk(certificate.trivial_risk)
        text = (
            f"an average cost of at most {limit} per patient like these{confidence}, where "
            f"{costs_in_words(costs)}"
        )
    text += f". Seen: {seen}, in {tested_in_words(certificate)}"
    if several and not certificate.vacuous:
        return f"Certified: {text}."
    if useful == "no":
        return f"{capital(cheapest)} is better, {without}: {text}."
    if certificate.vacuous:
        return f"Not shown to be better than {cheapest}, {without}: {text}."
    close = ", too close to tell" if useful == "cannot tell" else ""
    return f"Certified: {text}. {capital(cheapest)}: {without}{close}."


def tested_in_words(certificate: parts.CertificatePart) -> str:
    """Say on whom a cut-off was tested."""
    also = "not" if certificate.honesty == "split" else "also"
    return f"{count(certificate.n_patients, 'patient')} who were {also} used to choose it"


def calibration_in_words(fitted: Calibration, level: str) -> str:
    """Say how well a score is calibrated."""
    low, high = fitted.intercept_range
    flat, steep = fitted.slope_range
    return (
        f"Calibration, if the score is read as a probability: intercept {fitted.intercept:.2f} "
        f"({low:.2f} to {high:.2f}), slope {fitted.slope:.2f} ({flat:.2f} to {steep:.2f}; about "
        f"{level}). Perfect: 0 and 1. The cut-off does not need calibration."
    )


def wrong_in_words(point: parts.CountsPart, names: ClassNames) -> str:
    """Say how many patients of each class were decided wrongly."""
    missed = f"{point.fn} of {point.tp + point.fn} {of_them(names.ill)} missed"
    return f"{missed}, {point.fp} of {point.fp + point.tn} {of_them(names.healthy)} called"


def held_out_in_words(test: HeldOutPart, names: ClassNames) -> str:
    """Say what the frozen cut-off did to patients who were held out."""
    certificate, wrong = test.certificate, wrong_in_words(test.operating_point, names)
    who = f"{count(certificate.n_patients, 'patient')} with no part in it"
    return f"{who}: {wrong}; cost {risk(certificate.risk)}, at most {at_most(certificate.value)}"


def disagree_in_words(share: float | None, middle: Range | None = None) -> str:
    """Say about how many patients two studies would disagree; older files do not know it."""
    if share is None:
        return "how often two studies of this size would disagree is not in this file"
    mostly = f" (mostly {100 * middle[0]:.0f} to {100 * middle[1]:.0f})" if middle else ""
    return f"two studies of this size would disagree about {of_hundred(share)} patients{mostly}"


def studies_disagree(study: StudyDocument) -> str:
    """Say the same of a study, with the range of most pairs of studies."""
    known = study.disagreement
    return disagree_in_words(*((known.mean, known.middle) if known else (None, None)))


def audit_step(name: str, *, several_sites: bool = False) -> Step:
    """Say what to do with a rule that was just made."""
    known = "not checked at" if several_sites else "not known for"

    def sentence(spell: Spelling) -> str:
        return f"Next: {spell.call('audit', name)} (it is {known} another hospital yet)"

    return Step(verb="audit", sentence=sentence)


def study_step(study: StudyDocument, verdict: StudyVerdictPart) -> Step:
    """Say what to do with a cut-off that is not shown to be useful."""
    certificate = study.certificate
    worse = worse_end(study)
    if verdict.useful == "no" and worse:
        text = (
            f"do not use it over this range of prevalences. At {worse} calling everybody or "
            "nobody is better. Take a narrower range, or another score."
        )
    elif verdict.useful == "no":
        return NOT_USEFUL
    elif worse:
        text = (
            f"take another score or a narrower range of prevalences. At {worse} it is not "
            "better than calling everybody or nobody; more patients would only confirm this."
        )
    elif certificate.risk >= certificate.trivial_risk:
        return other_score_step(without_score(study))
    elif verdict.patients_needed is None:
        costs = ", or a higher cost of a miss if it is worse than a false alarm"
        text = (
            f"take another score or rule{costs if study.costs.equal else ''}. At these "
            "rates even many patients do not tell."
        )
    else:
        text = (
            f"fit with about {verdict.patients_needed} patients in all (here "
            f"{study.patients.total}). Set this number now: every further look adds its own "
            f"{percent(certificate.delta)} chance of an error."
        )
    return Step(verb="fit", sentence=f"Next: {text}")


def other_score_step(without: str) -> Step:
    """Say what to do with a cut-off that costs no less than ``without``, which needs no score."""
    text = (
        "Next: try another score, other costs or another direction. At these rates it is not "
        f"better than {without}; more patients would only confirm this."
    )
    return Step(verb="fit", sentence=text)


def ends_sentence(study: StudyDocument) -> str:
    """Write the cost with and without the score at both ends of a range of target prevalences."""
    target, counts = study.target_prevalence, study.operating_point.confusion
    if target is None or target[0] == target[1]:
        return ""
    return f"{capital(at_each_end(counts, study.costs.as_costs(target)))}. "


def worse_end(study: StudyDocument) -> str:
    """Return the ends of a target range where the observed cost is not below that without score."""
    target, counts = study.target_prevalence, study.operating_point.confusion
    ends = counts.at_ends(study.costs.as_costs(target)) if target and target[0] != target[1] else []
    return " and ".join(percent(end) for end, cost, without in ends if cost >= without)


def without_score(study: StudyDocument) -> str:
    """Name the cheaper decision without a score; both if it depends on the prevalence."""
    point, costs = study.operating_point, study.costs
    nobody, everybody = costs.cost_fn * (point.tp + point.fn), costs.cost_fp * (point.fp + point.tn)
    if study.target_prevalence is not None or nobody == everybody:
        return "calling everybody or nobody"
    calls_nobody = nobody < everybody
    return "calling nobody (treat-none)" if calls_nobody else "calling everybody (treat-all)"


def roles_in_words(patients: parts.RoleCounts, names: ClassNames, honesty: str = "split") -> str:
    """Say how many patients there are, who was used to choose and who to check."""
    ill = of_them(names.ill)
    all_of_them = f"{count(patients.total, 'patient')}, {patients.positive} of them {ill}"
    if patients.unknown:
        all_of_them += f" and {patients.unknown} of unknown fate"
    if honesty == "uniform":
        return f"{all_of_them}: all were used to choose the cut-off and to check it"
    others = count(patients.certify, "other", "others")
    return (
        f"{all_of_them}: {patients.select} used to choose the cut-off ({patients.select_positive} "
        f"{ill}), {others} to check it ({patients.certify_positive} {ill})"
    )


# What is done to patients without a score.
DONE = {"call": "called", "leave": "not called"}


def scored_sentences(
    n_patients: int,
    data: parts.DataPart | None,
    unscored: parts.UnscoredPart | None = None,
    names: ClassNames = DEFAULT,
) -> tuple[str, ...]:
    """Say what is done to patients without a score, or that the numbers are about the others.

    Examples
    --------
    >>> data = parts.DataPart(
    ...     rows=80, dropped_rows=12, dropped_patients=12, dropped_positive=5,
    ...     dropped_incomplete_patients=0
    ... )
    >>> print(*scored_sentences(68, data))
    This is about patients with a score: 12 of 80 had none (5 ill, 7 healthy) and were left out.
    """
    text = f"A patient without a score is {DONE[unscored.policy]} and counts: " if unscored else ""
    without, positive = (unscored.n_patients, unscored.positive) if unscored else (0, None)
    if not unscored and data is not None and data.dropped_patients:
        without, positive = data.dropped_patients, data.dropped_positive
        n_patients, text = n_patients + without, "This is about patients with a score: "
    if not text:
        return ()
    split, end = "", "." if unscored else " and were left out."
    if positive is not None and without:
        healthy = f"{without - positive} {of_them(names.healthy)}"
        split = f" ({positive} {of_them(names.ill)}, {healthy})"
    return (f"{text}{without} of {n_patients} had none{split}{end}",)


def errors_sentence(point: parts.CountsPart, who: str, names: ClassNames) -> str:
    """Say how many errors were seen."""
    wrong = count(point.fn + point.fp, "time")
    return (
        f"Among {count(point.confusion.n_patients, 'patient')} {who} it was wrong {wrong}: "
        f"{point.fn} of {point.tp + point.fn} {names.ill_patients} missed, "
        f"{count(point.fp, 'false alarm')} in {point.fp + point.tn} {names.healthy_patients}."
    )
