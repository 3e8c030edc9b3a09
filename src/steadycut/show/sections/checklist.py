"""What STARD 2015 and TRIPOD+AI ask for: what a page provides, and what is left to the author."""

from collections.abc import Mapping
from typing import Any

from steadycut.show.numbers import count, cut, risk
from steadycut.show.page import Section, Table
from steadycut.show.sentences import costs_in_words

Content = Mapping[str, Any]
# Topic, item of STARD 2015, item of TRIPOD+AI, what the page has, what the author must still say.
Row = tuple[str, str, str, str, str]

NOTHING = "nothing"


def checklist_section(content: Content) -> Section:
    """Return the checklist of a study."""
    return _section(
        (
            _source(),
            _index_test(),
            ("cut-off", "12a", "15", _cut_text(content), "why these costs; who set them, and when"),
            _reference_standard(),
            ("use of the data", "14", "12", _roles_text(content), "why this split"),
            ("sample size", "18", "10", _size_text(content), "how it was planned: steadycut plan"),
            _missing(content),
            _two_by_two(content["operating_point"]),
            _accuracy(),
            ("stability and variability", "17", "12, 23", _sites_text(content), _SUBGROUPS),
            ("full specification", "10a", "22", _rule_text(content), "where the rule is deposited"),
            _limitations("one population; no promise for another hospital until an audit there"),
            _ethics(),
        )
    )


def audit_checklist_section(content: Content) -> Section:
    """Return the checklist of an audit: an external validation."""
    point = content.get("operating_point")
    return _section(
        (
            _source(),
            _index_test(),
            (
                "cut-off",
                "12a",
                "15",
                f"frozen at {cut(content['threshold'])}; {costs_in_words(content['costs'])}",
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
            ("sample size", "18", "10", count(content["n_patients"], "patient"), "how planned"),
            _missing(content),
            *((_two_by_two(point), _accuracy()) if point else ()),
            ("full specification", "10a", "22", _rule_text(content), "where the rule is deposited"),
            _limitations(f"the verdict ({content['verdict']}), with its reason"),
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


def _missing(content: Content) -> Row:
    data = content.get("data")
    found = NOTHING
    if data:
        dropped = data.get("dropped_rows", 0)
        found = f"{count(data.get('rows', 0), 'row')} read, {dropped} without a score dropped"
    return ("missing data", "15, 16, 19", "11, 20", found, "flow of patients; why data are missing")


def _two_by_two(point: Content) -> Row:
    cells = ", ".join(f"{name.upper()} {point[name]}" for name in ("tp", "fn", "fp", "tn"))
    return ("cross tabulation", "23", "21", cells, NOTHING)


def _accuracy() -> Row:
    found = "sensitivity, specificity, predictive values, likelihood ratios, AUC, with intervals"
    return ("accuracy and its precision", "14, 24", "12, 23", found, "calibration, if it has any")


def _limitations(found: str) -> Row:
    return ("limitations", "26", "26", found, "bias of selection and labels; harm of errors")


def _ethics() -> Row:
    todo = "approval, registration, protocol, funding, interests, data and code, patients' part"
    return ("open science", "28-30", "17-19", "versions, seed, hash of the data", todo)


def _cut_text(content: Content) -> str:
    return (
        f"{cut(content['threshold'])}, chosen by the rule {content['rule']}; "
        f"{costs_in_words(content['costs'])}"
    )


def _roles_text(content: Content) -> str:
    patients = content["patients"]
    if content["certificate"]["honesty"] == "uniform":
        return "all patients choose and certify; the bound allows for it"
    return f"{patients['select']} patients chose, {patients['certify']} others certify"


def _size_text(content: Content) -> str:
    certificate = content["certificate"]
    return (
        f"{count(content['patients']['total'], 'patient')}; a margin of "
        f"{risk(certificate['generalization'])} above the observed risk"
    )


def _sites_text(content: Content) -> str:
    found = "bootstrap of the whole rule, flip-rate"
    return f"{found}, site by site" if content["sites"] else found


def _rule_text(content: Content) -> str:
    return "rule.json, under Files" if content.get("frozen_rule") else "the cut-off, to the digit"
