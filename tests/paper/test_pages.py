"""Pages that can be read on a terminal and as Markdown."""

from paper.claims import Claim
from paper.pages import claims_text, markdown, mean_or_share, sensitivity_rows


def test_a_table_is_aligned():
    lines = markdown([["a", "bcd"], ["efg", "h"]]).splitlines()
    assert lines == ["| a   | bcd |", "|-----|-----|", "| efg | h   |"]


def test_statements_are_counted_by_verdict():
    claims = [
        Claim(paper="One.", found="No.", share=0.2).to_dict(),
        Claim(paper="Two.", found="Yes.", holds=True).to_dict(),
    ]
    lines = claims_text(claims, 7).splitlines()
    assert lines[0] == (
        "Of 2 statements of the paper, over 7 replicates: 1 held, 0 mixed, 1 not held."
    )
    assert lines[2] == ("- does not hold (true in 20 % of replicates). Paper: One. Here: No.")
    assert lines[3] == "- holds. Paper: Two. Here: Yes."


def test_means_and_shares_in_one_row():
    row = {"changed": "x", "status": "", "risk": {"mean": 0.1234}, "share": 0.5}
    assert sensitivity_rows([row], {"risk": "R", "share": "S"}) == [
        ["changed", "", "R", "S"],
        ["x", "", "0.123", "50 %"],
    ]
    assert mean_or_share(1.0) == "100 %"
