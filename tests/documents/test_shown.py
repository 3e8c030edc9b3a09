import pytest

from steadycut.documents.shown import in_python


@pytest.mark.parametrize(
    ("step", "call"),
    [
        ("run adapt again with --label COL.", "run adapt again with labelled=patients."),
        ("all of them with --sequential, as", "all of them with sequential=True, as"),
        (
            "(steadycut audit rule.json TABLE --sequential --out DIR), then",
            "(steadycut.audit(rule, table, sequential=True)), then",
        ),
        (
            "some with labels: steadycut adapt rule.json TABLE --label COL. The",
            "some with labels: steadycut.adapt(rule, patients, labelled=patients). The",
        ),
        ("Fit with --rule erm --select J, and", "Fit with rule='erm', selector='J', and"),
        (
            "choose a lower cut-off: --rule npv:0.97 to",
            "choose a lower cut-off: rule='npv:0.97' to",
        ),
        (
            "limit: --rule-out npv:0.97 --certify npv:0.90,ppv:0.90.",
            "limit: rule_out='npv:0.97', certify='npv:0.90,ppv:0.90'.",
        ),
        ("plan for a larger --target, or ask", "plan for a larger target, or ask"),
        ("what others chose (--sites-certify)", "what others chose (sites_certify)"),
    ],
)
def test_a_next_step_names_what_to_type_in_python(step, call):
    assert in_python(step) == call
