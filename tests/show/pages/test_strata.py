from steadycut import fit_strata
from steadycut.core.records import PatientScores, Recipe
from steadycut.show import render_document
from steadycut.show.pages.strata import strata_lines, strata_page
from tests.core.cohorts import binormal
from tests.core.strata_cohorts import GREY, SQUARE, graded


def described(direction="ge", score="s", n_patients=120):
    patients, grades = graded(1, n_patients, distance=1.5)
    sign = 1 if direction == "ge" else -1
    cohort = PatientScores(scores=sign * patients.scores, recipe=Recipe(score=score))
    study = fit_strata(
        cohort, costs=SQUARE.values, grades=grades, direction=direction, n_bootstrap=20
    )
    return study.describe()


def test_strata_in_words():
    up, down = (
        described(direction).model_copy(update={"strata": ["a", "b", "c"], "thresholds": cuts})
        for direction, cuts in (("ge", [1.0, 2.0]), ("le", [2.0, 1.0]))
    )
    assert strata_lines(up) == [
        "a: below 1.000",
        "b: at least 1.000 and below 2.000",
        "c: at least 2.000",
    ]
    assert strata_lines(down) == [
        "a: above 2.000",
        "b: at most 2.000 and above 1.000",
        "c: at most 1.000",
    ]


def test_the_page_holds_the_numbers_and_nothing_from_elsewhere():
    study = described()
    page = render_document(study)
    assert page == render_document(study)
    assert page.count("<script") == 1
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    for row in study.boundaries:
        assert f"{row.miss.errors} of {row.miss.n_patients}" in page


def test_texts_of_the_user_are_escaped():
    page = render_document(described(score="<script>alert(1)</script>"))
    assert page.count("<script") == 1


def test_a_vacuous_certificate_is_said():
    study = fit_strata(binormal(1, 24, distance=0.0), costs=GREY.values, n_bootstrap=20)
    assert study.certificate.vacuous
    page = strata_page(study.describe())
    assert page.status.text == "not shown to be useful"
    (useful,) = [mark.text for mark in page.marks]
    assert useful.startswith("Useful here: cannot tell. Not shown to be better than one stratum")
    older = strata_page(study.describe().model_copy(update={"verdict": None}))
    assert older.status.text == "not shown to be useful"
    assert any(sentence.startswith("Not shown") for sentence in older.headline)
    assert page.warnings == tuple(study.warnings)
