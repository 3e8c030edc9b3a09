"""What STARD 2015 and TRIPOD+AI ask for: what a page provides, and what is left to the author."""

from steadycut.documents.audit import AuditDocument, LabelledAudit
from steadycut.documents.parts import CountsPart, DataPart
from steadycut.documents.study import StudyDocument
from steadycut.show.numbers import count, cut, risk
from steadycut.show.page import Section, Table
from steadycut.show.sentences import costs_in_words

# Topic, item of STARD 2015, item of TRIPOD+AI, what the page has, what the author must still say.
Row = tuple[str, str, str, str, str]

NOTHING = "nothing"


def checklist_section(document: StudyDocument) -> Section:
    """Return the checklist of a study."""
    return _section(
        (
            _source(),
            _index_test(),
            (
                "cut-off",
                "12a",
                "15",
                _cut_text(document),
                "why these costs; who set them, and when",
            ),
            _reference_standard(),
            ("use of the data", "14", "12", _roles_text(document), "why this split"),
            ("sample size", "18", "10", _size_text(document), "how it was planned: steadycut plan"),
            _missing(document.data),
            _two_by_two(document.operating_point),
            _accuracy(),
            ("stability and variability", "17", "12, 23", _sites_text(document), _SUBGROUPS),
            (
                "full specification",
                "10a",
                "22",
                _rule_text(document),
                "where the rule is deposited",
            ),
            _limitations("one population; no promise for another hospital until an audit there"),
            _ethics(),
        )
    )


def audit_checklist_section(document: AuditDocument) -> Section:
    """Return the checklist of an audit: an external validation."""
    point = document.operating_point if isinstance(document, LabelledAudit) else None
    return _section(
        (
            _source(),
            _index_test(),
            (
                "cut-off",
                "12a",
                "15",
                f"frozen at {cut(document.threshold)}; {costs_in_words(document.costs)}",
                "that the rule was not changed, and that no patient here made it",
            ),
            _reference_standard(),
            (
                "differences between the hospitals",
                "17",
                "16, 23",
                "prevalence, scores of either class and their part in the change of risk"
                if point
                else "prevalence as estimated from scores; a test of their shape",
                "how patients, devices and treatment differ",
            ),
            ("sample size", "18", "10", count(document.n_patients, "patient"), "how planned"),
            _missing(document.data),
            *((_two_by_two(point), _accuracy()) if point else ()),
            (
                "full specification",
                "10a",
                "22",
                _rule_text(document),
                "where the rule is deposited",
            ),
            _limitations(f"the verdict ({document.verdict}), with its reason"),
            _ethics(),
        )
    )


_SUBGROUPS = "subgroups (sex, age, ethnicity, scanner) and fairness: steadycut covariate"


def _section(rows: tuple[Row, ...]) -> Section:
    return Section(
        key="checklist",
        title="What a report of this study needs",
        texts=(
            (
                "The items of STARD 2015 (diagnostic accuracy) and TRIPOD+AI (prediction models) "
                "that are about a cut-off. The last column is what no software can know."
            ),
        ),
        tables=(
            Table(
                caption="Checklist for STARD 2015 and TRIPOD+AI",
                header=("topic", "STARD", "TRIPOD+AI", "on this page", "left to the author"),
                kinds="ttttt",
                rows=rows,
                note="The numbers are those of the items. Items on title, abstract, background and "
                "discussion are the author's altogether.",
            ),
        ),
    )


def _source() -> Row:
    todo = "setting, dates, eligibility, consecutive or not, prospective or not, treatment"
    return ("patients and setting", "5-9", "5, 6", NOTHING, todo)


def _index_test() -> Row:
    todo = "how scores are measured: device, model and version, training patients, blinding"
    return ("the score", "10a, 13a", "7, 9", "how rows become one score of a patient", todo)


def _reference_standard() -> Row:
    todo = "what makes a patient positive, who decides, blinding, time between the two"
    return ("reference standard", "10b, 11, 12b, 13b, 22", "8", NOTHING, todo)


def _missing(data: DataPart | None) -> Row:
    found = NOTHING
    if data:
        found = f"{count(data.rows, 'row')} read, {data.dropped_rows} without a score dropped"
    return ("missing data", "15, 16, 19", "11, 20", found, "flow of patients; why data are missing")


def _two_by_two(point: CountsPart) -> Row:
    cells = f"TP {point.tp}, FN {point.fn}, FP {point.fp}, TN {point.tn}"
    return ("cross tabulation", "23", "21", cells, NOTHING)


def _accuracy() -> Row:
    found = "sensitivity, specificity, predictive values, likelihood ratios, AUC, with intervals"
    return ("accuracy and its precision", "14, 24", "12, 23", found, "calibration, if it has any")


def _limitations(found: str) -> Row:
    return ("limitations", "26", "26", found, "bias of selection and labels; harm of errors")


def _ethics() -> Row:
    todo = "approval, registration, protocol, funding, interests, data and code, patients' part"
    return ("open science", "28-30", "17-19", "versions, seed, hash of the data", todo)


def _cut_text(document: StudyDocument) -> str:
    return (
        f"{cut(document.threshold)}, chosen by the rule {document.rule}; "
        f"{costs_in_words(document.costs)}"
    )


def _roles_text(document: StudyDocument) -> str:
    patients = document.patients
    if document.certificate.honesty == "uniform":
        return "all patients choose and certify; the bound allows for it"
    return f"{patients.select} patients chose, {patients.certify} others certify"


def _size_text(document: StudyDocument) -> str:
    certificate = document.certificate
    return (
        f"{count(document.patients.total, 'patient')}; a margin of "
        f"{risk(certificate.generalization)} above the observed risk"
    )


def _sites_text(document: StudyDocument) -> str:
    found = "bootstrap of the whole rule, flip-rate"
    return f"{found}, site by site" if document.sites else found


def _rule_text(document: StudyDocument | AuditDocument) -> str:
    return "rule.json, under Files" if document.frozen_rule else "the cut-off, to the digit"
