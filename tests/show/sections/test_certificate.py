"""The sentences about rates that somebody asked for."""

import pytest

from steadycut import fit
from steadycut.core.asked_rates import CertifiedRate
from steadycut.documents.study import StudyRatePart
from steadycut.show.markdown import markdown
from steadycut.show.pages.study import study_page
from steadycut.show.sections.certificate import another_cut, more_patients, rate_sentences
from steadycut.show.terminal import terminal
from tests.show.figures import samples


def described(**options):
    return fit(samples.cohort(160, 1), n_bootstrap=10, **options).describe()


def part(right, n, *, rate="sensitivity", asked=0.9):
    found = CertifiedRate(rate=rate, asked=asked, right=right, n_patients=n, delta=0.1)
    return StudyRatePart.of(found)


def test_without_a_question_nothing_is_said():
    study = described()
    assert study.certified_rates is None
    assert rate_sentences(study) == ()
    assert "at least 0.90:" not in terminal(study_page(study))


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_the_page_and_the_terminal_answer_what_was_asked(honesty):
    study = described(certify="sensitivity:0.5,specificity:0.99", honesty=honesty)
    page = study_page(study)
    said = " ".join(terminal(page).split())
    for sentence in rate_sentences(study):
        assert sentence in said
        assert sentence in " ".join(markdown(page).split())
    assert "Sensitivity at least 0.50: shown (" in said
    assert "with 90 % confidence, both together)." in said


def test_the_limit_is_never_rounded_towards_what_was_asked_for():
    study = described(certify="sensitivity:0.5")
    one = study.certified_rates[0]
    close = one.model_copy(update={"asked": 0.9, "lower": 0.89996, "answer": "cannot tell"})
    said = rate_sentences(study.model_copy(update={"certified_rates": [close]}))[0]
    assert "at least 0.899 with" in said
    refuted = one.model_copy(update={"asked": 0.9, "upper": 0.8991, "answer": "no"})
    said = rate_sentences(study.model_copy(update={"certified_rates": [refuted]}))[0]
    assert "refuted (" in said
    assert "at most 0.900 with" in said


def test_it_says_how_many_more_patients_it_takes():
    assert more_patients(part(36, 39)) == (
        "Next: check with more patients. At this rate about 696 ill patients show 0.90 in four "
        "studies of five; here are 39."
    )
    assert "even 20000 ill patients" in more_patients(part(9001, 10_000))


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
    said = another_cut(part(33, 39, rate=rate), direction)
    assert said.startswith(f"Next: choose a {side} cut-off, for a {rate} above 0.90: ")
    assert f"`--rule {rate}:0.98`" in said
    # The rule exists.
    assert fit(samples.cohort(160, 1), n_bootstrap=5, rule=f"{rate}:0.98").threshold is not None


def test_too_few_patients_and_a_low_rate_need_both():
    said = another_cut(part(10, 20, asked=0.95), "ge")
    assert said.endswith("at least 45 ill ones, even if all are found.")


def test_a_rule_needs_a_value_below_1():
    assert "`--rule sensitivity:0.997`" in another_cut(part(60, 72, asked=0.968), "ge")


def test_two_rates_that_are_too_low_need_a_better_score():
    study = described(certify="sensitivity:0.999,specificity:0.999")
    assert rate_sentences(study)[-1].endswith("It takes a better score.")
