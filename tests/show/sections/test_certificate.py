"""The sentences about rates that somebody asked for."""

import pytest

from steadycut import fit
from steadycut.core.asked_rates import CertifiedRate
from steadycut.core.class_names import DEFAULT
from steadycut.core.verdict import OVERALL
from steadycut.documents.study import StudyRatePart
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.markdown import markdown
from steadycut.show.render.terminal import terminal
from steadycut.show.sections.certificate import (
    another_cut,
    more_patients,
    rates_sentence,
    rates_step,
)
from steadycut.show.words.next_step import COMMAND_LINE
from tests.show.figures import samples


def described(**options):
    return fit(samples.cohort(160, 1), n_bootstrap=10, **options).describe()


def part(right, n, *, rate="sensitivity", asked=0.9):
    found = CertifiedRate(rate=rate, asked=asked, right=right, n_patients=n, delta=0.1)
    return StudyRatePart.of(found)


def test_without_a_question_nothing_is_said():
    study = described()
    assert study.certified_rates is None
    said = terminal(page_of(study))
    assert "As asked" not in said
    assert "at least 0.90:" not in said


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_the_page_and_the_terminal_answer_what_was_asked(honesty):
    study = described(certify="sensitivity:0.5,specificity:0.99", honesty=honesty)
    page = page_of(study)
    said = " ".join(terminal(page).split())
    sentence = rates_sentence(study.certified_rates, 0.1)
    step = rates_step(study.certified_rates, "ge", DEFAULT).spelled(COMMAND_LINE)
    for text in (sentence, step):
        assert text in said
        assert text in " ".join(markdown(page).split())
    assert "As asked: " in said
    assert "Sensitivity at least 0.50: shown (" in said
    assert "; 90 % confidence for both." in said
    assert len(terminal(page).splitlines()) <= 12
    assert (page.marks[0].tone, page.marks[1].tone) == ("good", OVERALL[study.verdict.as_asked])


def test_the_limit_is_never_rounded_towards_what_was_asked_for():
    study = described(certify="sensitivity:0.5")
    one = study.certified_rates[0]
    close = one.model_copy(update={"asked": 0.9, "lower": 0.89996, "answer": "cannot tell"})
    assert "at least 0.899);" in rates_sentence([close], 0.1)
    refuted = one.model_copy(update={"asked": 0.9, "upper": 0.8991, "answer": "no"})
    said = rates_sentence([refuted], 0.1)
    assert "refuted (" in said
    assert "at most 0.900);" in said


def test_it_says_how_many_more_patients_it_takes():
    assert more_patients(part(36, 39), DEFAULT) == (
        "Next: check with about 696 ill patients (here 39): they show 0.90 in four studies of five."
    )
    assert "even 20000 ill patients" in more_patients(part(9001, 10_000), DEFAULT)


@pytest.mark.parametrize(
    ("rate", "direction", "side"),
    [
        ("sensitivity", "ge", "lower"),
        ("sensitivity", "le", "higher"),
        ("specificity", "ge", "higher"),
        ("specificity", "le", "lower"),
    ],
)
def test_it_says_which_way_the_cut_off_must_move(rate, direction, side):
    said = another_cut(part(33, 39, rate=rate), direction, DEFAULT)(COMMAND_LINE)
    assert said == f"Next: choose a {side} cut-off: --rule {rate}:0.98 to show at least 0.90."
    # The rule exists.
    assert fit(samples.cohort(160, 1), n_bootstrap=5, rule=f"{rate}:0.98").threshold is not None


def test_too_few_patients_and_a_low_rate_need_both():
    said = another_cut(part(10, 20, asked=0.95), "ge", DEFAULT)(COMMAND_LINE)
    assert said.endswith("at least 45 ill patients.")


def test_a_rule_needs_a_value_below_1():
    sentence = another_cut(part(60, 72, asked=0.968), "ge", DEFAULT)
    assert "--rule sensitivity:0.997 " in sentence(COMMAND_LINE)


def test_two_rates_that_are_too_low_need_a_better_score():
    study = described(certify="sensitivity:0.999,specificity:0.999")
    step = rates_step(study.certified_rates, "ge", DEFAULT).spelled(COMMAND_LINE)
    assert step.startswith("Next: find a better score.")


def test_a_file_without_a_verdict_shows_its_certificate():
    page = page_of(described().model_copy(update={"verdict": None}))
    assert page.status.text == "certified"
    assert page.headline[1].startswith("Certified: wrong in at most ")
    assert page.marks == ()
    assert "Next: steadycut audit" in page.next_step


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"useful": "no", "overall": "bad"}, "Next: do not use it."),
        ({"patients_needed": 700}, "Next: fit with about 700 patients in all (here 160)."),
        ({}, "Next: take another score or rule, or a higher cost of a miss if it is worse"),
    ],
)
def test_a_cut_off_that_is_not_shown_to_be_useful_says_what_to_do(change, text):
    study = described()
    given = {"useful": "cannot tell", "overall": "open", **change}
    verdict = study.verdict.model_copy(update=given)
    page = page_of(study.model_copy(update={"verdict": verdict}))
    assert page.next_step.startswith(text)
    assert page.status.tone == verdict.overall
    assert page.marks[0].text.startswith(f"Useful here: {verdict.useful}. ")
