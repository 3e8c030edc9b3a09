import numpy as np

from steadycut.core.diagnose import FEW_PATIENTS
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.diagnose import cost_warnings, grade_warnings, strata_warnings
from steadycut.core.strata.draws import StrataDraws
from tests.core.strata_cohorts import GREY, NARROW, SQUARE

NAMES = ("low", "grey", "high")


def draws_at(ranks, draw_ranks):
    ranks, draw_ranks = np.array(ranks, dtype=float), np.array(draw_ranks, dtype=float)
    return StrataDraws(thresholds=ranks, ranks=ranks, draws=draw_ranks, draw_ranks=draw_ranks)


def kinds(found):
    return [text.partition(":")[0] for text in found]


def test_well_marked_boundaries_say_nothing():
    assert strata_warnings(draws_at([40, 60], [[39, 61], [41, 58], [40, 60]]), 100, NAMES) == []


def test_an_empty_stratum_is_told():
    found = strata_warnings(draws_at([50, 50], [[50, 50], [51, 51]]), 100, NAMES)
    assert kinds(found) == ["empty stratum"]
    assert "'grey'" in found[0]


def test_outer_strata_may_be_empty_too():
    found = strata_warnings(draws_at([0, 60], [[0, 60], [0, 60]]), 100, NAMES)
    assert kinds(found) == ["empty stratum"]
    assert "'low'" in found[0]


def test_boundaries_that_often_meet_are_told():
    found = strata_warnings(draws_at([40, 60], [[50, 50], [40, 60], [41, 59]]), 100, NAMES)
    assert kinds(found) == ["near-equal boundaries"]
    assert "33 %" in found[0]


def test_a_stratum_of_one_patient_is_not_empty():
    assert strata_warnings(draws_at([40, 60], [[50, 51], [40, 60], [41, 59]]), 100, NAMES) == []


def test_a_thin_stratum_is_told():
    found = strata_warnings(draws_at([50, 55], [[49, 56], [50, 55]]), 100, NAMES)
    assert found == ["thin stratum: patients used to choose in 'grey': only 5."]
    found = strata_warnings(draws_at([50, 51], [[49, 56], [50, 55]]), 100, NAMES)
    assert found == ["thin stratum: patients used to choose in 'grey': only 1."]


def test_a_boundary_that_nobody_settles_is_told():
    draws = [[10 + k, 60] for k in range(0, 48, 4)]
    found = strata_warnings(draws_at([30, 60], draws), 100, NAMES)
    assert kinds(found) == ["flat minimum"]
    assert "between 'low' and 'grey'" in found[0]


def test_a_stratum_that_never_pays_is_told():
    assert cost_warnings(SQUARE, NAMES) == []
    assert cost_warnings(GREY, NAMES) == []
    (text,) = cost_warnings(CostMatrix([[0, 0.9, 1], [1, 0.9, 0]]), NAMES)
    assert text.startswith("costs: 'grey' is never the cheapest")
    assert cost_warnings(NARROW, NAMES)


def test_few_patients_of_a_grade_are_told():
    found = grade_warnings("certify", np.array([0] * 12 + [2] * 3), ("a", "b", "c"))
    assert [text.partition(" certify")[0] for text in found] == [
        "few patients: 0 of grade 'b'",
        "few patients: 3 of grade 'c'",
    ]
    enough = np.repeat([0, 1], FEW_PATIENTS)
    assert grade_warnings("certify", enough, ("a", "b")) == []
    assert len(grade_warnings("certify", enough[1:], ("a", "b"))) == 1


def test_a_tenth_of_the_replicates_is_not_more_than_a_tenth():
    draws = [[40, 60]] * 9 + [[50, 50]]
    assert strata_warnings(draws_at([40, 60], draws), 100, NAMES) == []
    assert strata_warnings(draws_at([40, 60], draws[1:]), 100, NAMES) != []


def test_the_highest_grade_may_have_no_patient():
    (text,) = grade_warnings("certify", np.array([0] * 30 + [1] * 30), ("a", "b", "c"))
    assert text.startswith("few patients: 0 of grade 'c' certify")


def test_a_stratum_of_ten_is_not_thin_and_a_quarter_is_not_flat():
    """The middle 80 % of these boundaries spread from 20 to 45 of 100 patients."""
    draws = [[rank, 60] for rank in (10, 20, 20, 30, 30, 30, 30, 30, 45, 45, 50)]
    assert strata_warnings(draws_at([50, 60], [[50, 60]] * 3), 100, NAMES) == []
    assert strata_warnings(draws_at([30, 60], draws), 100, NAMES) == []
    wider = [[rank, 60] for rank in (10, 19, 20, 30, 30, 30, 30, 30, 45, 45, 50)]
    (text,) = strata_warnings(draws_at([30, 60], wider), 100, NAMES)
    assert text.startswith("flat minimum: ")
    assert "spread over 26 % of the patients" in text


def test_the_lowest_stratum_is_counted_from_its_first_patient():
    assert strata_warnings(draws_at([10, 60], [[10, 60]] * 3), 100, NAMES) == []
    (text,) = strata_warnings(draws_at([9, 60], [[9, 60]] * 3), 100, NAMES)
    assert text == "thin stratum: patients used to choose in 'low': only 9."


def test_the_stratum_that_is_better_empty_gets_no_warning():
    draws = draws_at([50, 50], [[49, 49], [51, 51], [50, 50]])
    assert "empty stratum" in kinds(strata_warnings(draws, 100, NAMES))
    assert strata_warnings(draws, 100, NAMES, may_be_thin="grey") == []


def test_the_strata_after_the_one_that_is_better_empty_are_looked_at():
    draws = draws_at([40, 95], [[39, 94], [41, 96], [40, 95]])
    (text,) = strata_warnings(draws, 100, NAMES, may_be_thin="low")
    assert text == "thin stratum: patients used to choose in 'high': only 5."


def test_a_spread_is_written_in_whole_per_cent():
    """25 of 95 patients."""
    draws = [[rank, 60] for rank in (10, 20, 20, 30, 30, 30, 30, 30, 45, 45, 50)]
    (text,) = strata_warnings(draws_at([30, 60], draws), 95, NAMES)
    assert text.endswith("spread over 26 % of the patients; the data do not settle it.")
