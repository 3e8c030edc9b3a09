"""The promise of privacy: no text of one patient is in an output that is not asked to name them."""

from benchmarks.trust import tokens


def test_no_token_of_a_patient_is_in_any_output():
    row = tokens.searched(seed=0, n=6)
    assert row.failures == {"tokens named": 0, "tracebacks": 0}
    assert row.tried > 200
