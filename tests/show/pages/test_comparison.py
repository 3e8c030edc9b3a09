"""The conclusion of a comparison, in words."""

import pytest

from steadycut.show.pages.comparison import options_of
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.terminal import terminal
from steadycut.show.words.next_step import COMMAND_LINE, PYTHON
from tests.show.documents import document
from tests.show.figures import samples


def compared(*answers, **changes):
    """A comparison of ``stable`` with further rules and these answers."""
    found = document(samples.comparison())
    names = ["stable", "erm", "youden", "sensitivity:0.95", "specificity:0.90", "logistic"]
    rows = [
        found.rows[0].model_copy(update={"name": name, "rule": name, "against_fixed": answer})
        for name, answer in zip(names, (None, *answers), strict=False)
    ]
    return page_of(found.model_copy(update={"rows": rows, **changes}))


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


def at_risks(*rows, without=0.2):
    """A comparison whose rows have these costs at the second hospital."""
    found = document(samples.comparison())
    names = ["stable", "erm", "youden"]
    made = [
        found.rows[0].model_copy(
            update={"name": name, "rule": name, "against_fixed": answer, "risk_external": cost}
        )
        for name, (answer, cost) in zip(names, rows, strict=False)
    ]
    return page_of(
        found.model_copy(update={"rows": made, "trivial_external": without, "fixed": "stable"})
    )


def test_no_rule_is_advised_where_none_costs_less_than_doing_without():
    page = at_risks((None, 0.5), ("less", 0.3), ("less", 0.2))
    said = "No rule here costs less than calling everybody or nobody (0.200)."
    assert page.headline[0].startswith(said)
    assert page.next_step.startswith("Next: do not use any of them there.")
    assert "--rule" not in page.next_step
    assert len(terminal(page).splitlines()) <= 12


def test_the_cheapest_of_the_rules_shown_to_cost_less_is_advised():
    page = at_risks((None, 0.5), ("less", 0.15), ("less", 0.1))
    assert "Fit with --rule youden," in page.next_step
    assert not page.headline[0].startswith("No rule")
    page = at_risks((None, 0.5), ("less", 0.3), ("cannot tell", 0.1))
    assert page.next_step.startswith("Next: do not use stable there")


def test_a_row_of_the_paper_is_advised_with_its_selector():
    row = document(samples.comparison()).rows[0]
    row = row.model_copy(update={"name": "Algorithm 1", "rule": "erm", "selector": "J"})
    options = options_of(row)
    assert COMMAND_LINE.options(options) == "--rule erm --selector J"
    assert PYTHON.options(options) == "rule='erm', selector='J'"


def test_the_longest_text_has_at_most_twelve_lines():
    page = compared("less", "more", "less", "more", "less")
    assert len(terminal(page).splitlines()) <= 12


def test_a_certificate_says_for_which_rule_it_holds():
    table = next(
        one
        for part in compared("less").sections
        for one in part.tables
        if one.caption == "What each rule chose"
    )
    assert "certified, if picked here" in table.header
    assert "holds for all rules together" in table.note
