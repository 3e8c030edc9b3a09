import pytest

from steadycut import fit_strata
from steadycut.core.asked_rates import CertifiedRate
from steadycut.core.records import PatientScores, Recipe
from steadycut.documents.study import StudyRatePart
from steadycut.show.pages.kinds import page_of
from steadycut.show.pages.rule import rule_page
from steadycut.show.pages.strata import strata_lines
from steadycut.show.sections.two_cuts import two_cuts_step
from steadycut.show.words.next_step import COMMAND_LINE
from tests.core.cohorts import binormal
from tests.core.strata_cohorts import GREY, SQUARE, graded
from tests.show.documents import render_document


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
    page = page_of(study.describe())
    assert page.status.text == "not shown to be useful"
    (useful,) = [mark.text for mark in page.marks]
    assert useful.startswith("Useful here: cannot tell. Not shown to be better than one stratum")
    older = page_of(study.describe().model_copy(update={"verdict": None}))
    assert older.status.text == "not shown to be useful"
    assert any(sentence.startswith("Not shown") for sentence in older.headline)
    assert page.warnings == tuple(study.warnings)


def two_cuts(direction="ge", **options):
    cohort = binormal(2, 400, distance=2.0)
    sign = 1 if direction == "ge" else -1
    patients = PatientScores(scores=sign * cohort.scores, labels=cohort.labels)
    limits = {"rule_out": "npv:0.97", "rule_in": "specificity:0.97", **options}
    return fit_strata(patients, direction=direction, n_bootstrap=20, **limits)


def test_rule_out_and_rule_in_come_first():
    study = two_cuts(certify="npv:0.8,specificity:0.8").describe()
    page = page_of(study)
    low, high = (f"{cut:.4g}" for cut in study.thresholds)
    n = study.between.patients
    assert page.headline[0].startswith(f"Rule out below {low}")
    assert f"rule in from {high}" in page.headline[0]
    assert f"{n} of 200 patients lie between" in page.headline[0]
    assert page.status.text == "both sides shown"
    out, into = (mark.text for mark in page.marks)
    side = study.sides[0]
    assert out.startswith(
        f"Rule-out: NPV at least 0.80 is shown. {side.right} of {side.n_patients}"
    )
    assert into.startswith("Rule-in: specificity at least 0.80 is shown.")
    assert "cost" not in " ".join((*page.headline, out, into, page.next_step))
    assert [one.key for one in page.sections[:2]] == ["sides", "certificate"]


def test_low_scores_are_ruled_in_from_above():
    study = two_cuts("le").describe()
    low, high = (f"{cut:.4g}" for cut in study.thresholds)
    assert page_of(study).headline[0].startswith(f"Rule out above {low}, rule in at {high} or")


def test_what_a_side_needs_is_said():
    strict = page_of(two_cuts(certify="npv:0.96,specificity:0.96").describe())
    out = strict.sections[0].tables[0].rows[0]
    assert out[2:4] == ("0.96", "63 of 68")
    assert strict.next_step == (
        "Next: find a better score, or ask for less than 0.96; to show it takes at least 74 "
        "patients ruled out (here 68)."
    )
    assert strict.status.text in {"not shown to be as asked", "not as asked"}


def side(rate, right, n, asked=0.9):
    one = CertifiedRate(rate=rate, asked=asked, right=right, n_patients=n, delta=0.05)
    return StudyRatePart(
        **{key: getattr(one, key) for key in StudyRatePart.model_fields if hasattr(one, key)}
    )


@pytest.mark.parametrize(
    ("sides", "step"),
    [
        # The refuted side is named, not the one that only needs more patients.
        (
            [side("npv", 92, 100), side("ppv", 60, 100)],
            "Next: choose by a stricter limit: --rule-in ppv:0.97 --certify npv:0.90,ppv:0.90.",
        ),
        # Only 30 of 30 would show it: no limit asks for that.
        (
            [side("npv", 20, 30), side("ppv", 92, 100)],
            (
                "Next: ask for less than 0.90, or find a better score; a stricter limit would "
                "hardly show 0.90 with 30 patients ruled out."
            ),
        ),
        # The cut-off was already chosen by a stricter limit.
        (
            [side("sensitivity", 170, 200), side("ppv", 99, 100)],
            (
                "Next: ask for less than 0.90, or find a better score; a stricter limit would "
                "hardly show 0.90 with 200 ill patients."
            ),
        ),
    ],
)
def test_no_absurd_limit_is_advised(sides, step):
    rule = f"rule-out:{sides[0].rate}:0.99,rule-in:ppv:0.9"
    assert two_cuts_step(sides, rule).spelled(COMMAND_LINE) == step


def test_the_frozen_file_says_the_same():
    study = two_cuts()
    page, frozen = page_of(study.describe()), rule_page(study.freeze())
    assert frozen.marks == page.marks
    assert frozen.headline[0].startswith(page.headline[0])
    assert frozen.next_step == page.next_step
