"""The conclusion of a comparison, in words."""

import pytest

from steadycut.show.pages.comparison import comparison_page
from steadycut.show.terminal import terminal
from tests.show.documents import document
from tests.show.figures import samples


def compared(*answers, **changes):
    """A comparison of ``stable`` with further rules and these answers."""
    found = document(samples.comparison())
    names = ["stable", "erm", "youden", "sensitivity:0.95", "specificity:0.90", "pointwise"]
    rows = [
        found.rows[0].model_copy(update={"name": name, "against_fixed": answer})
        for name, answer in zip(names, (None, *answers), strict=False)
    ]
    return comparison_page(found.model_copy(update={"rows": rows, **changes}))


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        (["less", "more", "cannot tell"], "erm costs less; youden costs more beyond chance"),
        (["less", "less"], "erm, youden cost less beyond chance"),
        (["cannot tell"], "no other rule differs from it beyond chance"),
        ([], "no other rule was compared"),
    ],
)
def test_rules_that_differ_beyond_chance_are_named(answers, text):
    assert f"stable was fixed beforehand: {text}" in compared(*answers).headline[1]


def test_a_better_rule_must_be_checked_elsewhere():
    assert compared("more", "less").next_step.startswith(
        "Next: do not switch because of this table. Fit with --rule youden, and audit it"
    )
    assert compared("more").next_step.startswith("Next: keep stable.")


def test_the_longest_text_has_at_most_twelve_lines():
    page = compared("less", "more", "less", "more", "less")
    assert len(terminal(page).splitlines()) <= 12


def test_a_file_without_answers_has_no_conclusion():
    page = compared("less", fixed=None, delta=None)
    assert (len(page.headline), page.next_step) == (1, "")


def test_a_certificate_says_for_which_rule_it_holds():
    table = next(
        one
        for part in compared("less").sections
        for one in part.tables
        if one.caption == "What each rule chose"
    )
    assert "certified, if picked here" in table.header
    assert "holds for all rules together" in table.note
