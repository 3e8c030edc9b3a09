import pytest

from steadycut.show.sections.checklist import audit_checklist_section, checklist_section
from tests.show.figures import samples


def rows_of(section):
    return {row[0]: row for row in section.tables[0].rows}


def test_a_study_says_what_it_has_and_what_is_left():
    study = samples.study() | {"data": {"rows": 480, "dropped_rows": 3}}
    rows = rows_of(checklist_section(study))
    point = study["operating_point"]
    assert f"TP {point['tp']}" in rows["cross tabulation"][3]
    assert rows["missing data"][3] == "480 rows read, 3 without a score dropped"
    assert "rule.json" not in rows["full specification"][3]
    assert all(row[4] for row in rows.values())


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_the_use_of_the_data_is_that_of_the_study(honesty):
    rows = rows_of(checklist_section(samples.study(honesty=honesty)))
    assert ("others certify" in rows["use of the data"][3]) is (honesty == "split")


def test_an_audit_without_labels_has_no_table_of_errors():
    with_labels = rows_of(audit_checklist_section(samples.labelled_audit()))
    without = rows_of(audit_checklist_section(samples.unlabelled_audit()))
    assert "cross tabulation" in with_labels
    assert "cross tabulation" not in without
    assert "estimated from scores" in without["differences between the hospitals"][3]


def test_sites_and_the_rule_are_named_where_they_are_known():
    study = samples.study() | {"frozen_rule": {}, "sites": {"rows": [1]}}
    rows = rows_of(checklist_section(study | {"frozen_rule": {"sha256": "x"}}))
    assert "site by site" in rows["stability and variability"][3]
    assert "rule.json" in rows["full specification"][3]
