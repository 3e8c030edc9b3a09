import pytest

from steadycut.documents.parts import DataPart
from steadycut.show.sections.checklist import audit_checklist_section, checklist_section
from tests.show.documents import document
from tests.show.figures import samples


def rows_of(section):
    return {row[0]: row for row in section.tables[0].rows}


def test_a_study_says_what_it_has_and_what_is_left():
    data = DataPart(rows=480, dropped_rows=3, dropped_patients=0, dropped_incomplete_patients=0)
    study = document(samples.study()).model_copy(update={"data": data})
    rows = rows_of(checklist_section(study))
    assert f"TP {study.operating_point.tp}" in rows["cross tabulation"][3]
    assert rows["missing data"][3] == "480 rows read, 3 without a score dropped"
    assert "rule.json" not in rows["full specification"][3]
    assert all(row[4] for row in rows.values())


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_the_use_of_the_data_is_that_of_the_study(honesty):
    rows = rows_of(checklist_section(document(samples.study(honesty=honesty))))
    assert ("used to choose, " in rows["use of the data"][3]) is (honesty == "split")


def test_an_audit_without_labels_has_no_table_of_errors():
    with_labels = rows_of(audit_checklist_section(document(samples.labelled_audit())))
    without = rows_of(audit_checklist_section(document(samples.unlabelled_audit())))
    assert "cross tabulation" in with_labels
    assert "cross tabulation" not in without
    assert "estimated from scores" in without["differences between the hospitals"][3]


def test_sites_and_the_rule_are_named_where_they_are_known():
    study = document(samples.sites_study())
    rule = samples._study().freeze().document
    rows = rows_of(checklist_section(study.model_copy(update={"frozen_rule": rule})))
    assert "site by site" in rows["stability and variability"][3]
    assert "rule.json" in rows["full specification"][3]


def test_an_audit_names_the_items_of_studies_that_evaluate():
    made = rows_of(checklist_section(document(samples.study())))
    audited = rows_of(audit_checklist_section(document(samples.labelled_audit())))
    assert (made["cut-off"][2], audited["cut-off"][2]) == ("15", "12g")
    assert audited["differences between the hospitals"][2] == "16, 20c, 23b"
    assert made["stability and variability"][2] == "12c, 12d, 14, 23b"
    assert made["patients and setting"][1] == "5-9, 20, 21"
