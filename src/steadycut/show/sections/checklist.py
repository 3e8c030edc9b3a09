"""What STARD 2015 and TRIPOD+AI ask for: what a page provides, and what is left to the author."""

from collections.abc import Iterator, Mapping

from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.parts import CountsPart
from steadycut.documents.study import StudyDocument
from steadycut.show.pages.page import Section, Table, section
from steadycut.show.words.numbers import count, cut, risk
from steadycut.show.words.sentences import DONE, costs_in_words

NOTHING = "nothing"
# The items of each topic, in STARD 2015 and in TRIPOD+AI.
ITEMS = {
    "patients and setting": ("5-9, 20, 21", "5, 6, 20b"),
    "the score": ("10a, 13a", "7, 9"),
    "cut-off": ("12a", "15"),
    "reference standard": ("10b, 11, 12b, 13b, 22", "8"),
    "use of the data": ("14", "12a"),
    "differences between the hospitals": ("17", "16, 20c, 23b"),
    "sample size": ("18", "10"),
    "missing data": ("15, 16, 19", "11, 20a"),
    "cross tabulation": ("23", "21"),
    "accuracy and its precision": ("14, 24", "12e, 23a"),
    "stability and variability": ("17", "12c, 12d, 14, 23b"),
    "full specification": ("10a", "22"),
    "limitations": ("26", "26"),
    "open science": ("28-30", "17-19"),
}
# TRIPOD+AI asks for the threshold (15) of studies that develop a model, and for how predictions
# are made (12g) of those that evaluate it.
ITEMS_OF_AUDIT = {**ITEMS, "cut-off": ("12a", "12g")}
# What the author must still say about each topic.
LEFT = {
    "patients and setting": "setting, dates, eligibility, consecutive or not, prospective or not, "
    "characteristics, treatment",
    "the score": "how scores are measured: device, model and version, training patients, blinding",
    "cut-off": "why these costs; who set them, and when",
    "reference standard": "how the label is made, who decides, blinding, time between the two",
    "use of the data": "why this split",
    "differences between the hospitals": "how patients, devices and treatment differ",
    "sample size": "how it was planned",
    "missing data": "flow of patients; why data are missing",
    "cross tabulation": NOTHING,
    "accuracy and its precision": "calibration, if it has any",
    "stability and variability": "subgroups (sex, age, ethnicity, scanner) and fairness",
    "full specification": "where the rule is deposited",
    "limitations": "bias of selection and labels; harm of errors",
    "open science": "approval, registration, protocol, funding, interests, data and code, "
    "patients' part",
}
LEFT_OF_AUDIT = {
    **LEFT,
    "cut-off": "that the rule was not changed, and that no patient here made it",
    "sample size": "how planned",
}
SCORE = "how rows become one score of a patient"
ACCURACY = "sensitivity, specificity, predictive values, likelihood ratios, AUC, with intervals"
RULE_FILE = "rule.json, under Files"
VERSIONS = "versions, seed, hash of the data"
TEXT = (
    "The items of STARD 2015 (diagnostic accuracy) and TRIPOD+AI (prediction models) that are "
    "about a cut-off. The last column is what no software can know."
)
ONE_SITE = "one population; no promise for another hospital until an audit there"
SEVERAL_SITES = "what these hospitals say about the next one, if it is like them"
NOTE = (
    "The numbers are those of the items. Items on title, abstract, background and discussion are "
    "the author's altogether."
)


def checklist_section(document: StudyDocument) -> Section:
    """Return the checklist of a study."""
    chosen = f"{cut(document.threshold)}, chosen by the rule {document.rule}"
    margin = f"a margin of {risk(document.certificate.generalization)} above the observed risk"
    stable = "bootstrap of the whole rule, decisions reversed"
    here = {
        "cut-off": f"{chosen}; {costs_in_words(document.costs)}",
        "use of the data": _roles(document),
        "sample size": f"{count(document.patients.total, 'patient')}; {margin}",
        "cross tabulation": _two_by_two(document.operating_point),
        "accuracy and its precision": ACCURACY,
        "stability and variability": f"{stable}, site by site" if document.next_site else stable,
        "limitations": SEVERAL_SITES if document.next_site else ONE_SITE,
    }
    return _section(document, here, ITEMS, LEFT)


def audit_checklist_section(document: CutOffAudit) -> Section:
    """Return the checklist of an audit: an external validation."""
    differences, seen = "prevalence as estimated from scores; a test of their shape", {}
    if isinstance(document, LabelledCutOffAudit):
        differences = "prevalence, scores of either class and their part in the change of risk"
        cells = _two_by_two(document.operating_point)
        seen = {"cross tabulation": cells, "accuracy and its precision": ACCURACY}
    here = {
        "cut-off": f"frozen: {cut(document.threshold)}; {costs_in_words(document.costs)}",
        "differences between the hospitals": differences,
        "sample size": count(document.n_patients, "patient"),
        **seen,
        "limitations": f"the decision ({document.verdict.decision}), with the answers behind it",
    }
    return _section(document, here, ITEMS_OF_AUDIT, LEFT_OF_AUDIT)


def _section(
    document: StudyDocument | CutOffAudit,
    own: Mapping[str, str],
    items: Mapping[str, tuple[str, str]],
    left: Mapping[str, str],
) -> Section:
    """Return the topics with what the page has, and what is left to the author."""
    here = {
        **dict.fromkeys(("patients and setting", "reference standard"), NOTHING),
        "the score": SCORE,
        "missing data": "; ".join(_missing(document)) or NOTHING,
        "full specification": RULE_FILE if document.frozen_rule else "the cut-off, to the digit",
        "open science": VERSIONS,
        **own,
    }
    topics = [topic for topic in items if topic in here]
    table = Table(
        caption="Checklist for STARD 2015 and TRIPOD+AI",
        header=("topic", "STARD", "TRIPOD+AI", "on this page", "left to the author"),
        kinds="ttttt",
        rows=tuple((topic, *items[topic], here[topic], left[topic]) for topic in topics),
        note=NOTE,
    )
    return section("checklist", "What a report of this study needs", TEXT, tables=(table,))


def _missing(document: StudyDocument | CutOffAudit) -> Iterator[str]:
    """Yield what became of rows and of patients without a score."""
    if (data := document.data) is not None:
        yield f"{count(data.rows, 'row')} read, {data.dropped_rows} without a score dropped"
        if data.dropped_patients:
            yield f"with them {count(data.dropped_patients, 'patient')} left out"
    if (part := document.unscored) is not None:
        yield f"{count(part.n_patients, 'patient')} without a score, each {DONE[part.policy]}"


def _two_by_two(point: CountsPart) -> str:
    return f"TP {point.tp}, FN {point.fn}, FP {point.fp}, TN {point.tn}"


def _roles(document: StudyDocument) -> str:
    if document.certificate.honesty == "uniform":
        return "all patients are used to choose and to check; the bound allows for it"
    return (
        f"{document.patients.select} patients used to choose, {document.patients.certify} to check"
    )
