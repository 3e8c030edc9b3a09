"""Identifiers that name nobody, and those that may name a patient twice."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steadycut import PatientScores, aggregate
from steadycut.errors import BadTable
from steadycut.ingest.identifiers import SEPARATOR, WITHOUT, alike_warnings, count_alike

SIGNS = st.sampled_from("aAäÄéE\u03010123. \t\u200b\uff17" + SEPARATOR)


def written_plainly(identifier):
    plain = unicodedata.normalize("NFKC", identifier).casefold()
    plain = "".join(sign for sign in plain if ord(sign) not in WITHOUT)
    number = re.fullmatch(r"(\d+)(\.0*)?", plain)
    return str(int(number[1])) if number else plain


@given(st.lists(st.text(SIGNS, min_size=1, max_size=4), unique=True))
@example(["7", "07", "7.0", "7.00"])
@example([f"a{SEPARATOR}b", f"A{SEPARATOR}b", "a"])
def test_against_every_pair(identifiers):
    forms = [written_plainly(one) for one in identifiers]
    assert count_alike(identifiers) == sum(forms.count(form) > 1 for form in forms)


def named(*identifiers):
    return PatientScores(scores=np.zeros(len(identifiers)), patients=identifiers)


def test_the_line_names_nobody():
    (text,) = alike_warnings(named("secret", "Secret ", "other"))
    assert text.startswith("identifiers: those of 2 of 3 patients differ")
    assert "ecret" not in text
    assert alike_warnings(named("a", "b")) == []
    assert alike_warnings(PatientScores(scores=[0.0, 0.0])) == []


@pytest.mark.parametrize("name", ["1.23457E+11", "2E+15", "9.9E+20"])
def test_numbers_that_a_spreadsheet_has_shortened_are_noticed(name):
    (text,) = alike_warnings(named("secret1", name, "3"))
    assert text.startswith("shortened identifiers: 1 of 3 identifiers look like 9.99999E+11")
    assert "secret" not in text
    assert name not in text


@pytest.mark.parametrize(
    "name", ["1.23457e+11", "A1E+11", "1E+11B", "0E+11", "1E+1", "1.E+11", "E+11"]
)
def test_other_names_are_no_shortened_numbers(name):
    assert alike_warnings(named("a", name, "b")) == []


PADDED = [" NA", "NA ", "\u00a0NA", "nan ", "null\t", "\ufeffNA", "N\u200bA", "\u200b"]


@pytest.mark.parametrize(
    "mark", ["NA", "n/a", "nan", "NaN", "NULL", "None", "<NA>", "#N/A", " None", *PADDED]
)
def test_a_mark_for_a_missing_identifier_is_refused(mark):
    table = {"id": ["a", mark], "s": [1.0, 2.0]}
    with pytest.raises(BadTable, match="column 'id' must be filled in every row"):
        aggregate(table, patient="id", score="s")


@pytest.mark.parametrize("role", ["site", "levels"])
def test_none_may_be_the_name_of_a_site_or_a_level(role):
    table = {"id": ["a", "b"], "s": [1.0, 2.0], "at": ["north", "None"]}
    asked = {"site": "at"} if role == "site" else {"levels": ["at:max"]}
    assert aggregate(table, patient="id", score="s", **asked).n_patients == 2
    for mark in ("NA", *PADDED):
        table["at"][1] = mark
        with pytest.raises(BadTable, match="column 'at' must be filled"):
            aggregate(table, patient="id", score="s", **asked)


def test_a_name_that_only_resembles_a_mark_stays():
    names = ["Na-1", "N A", "nano", "none1", "0"]
    table = {"id": names, "s": [1.0] * 5}
    assert aggregate(table, patient="id", score="s").n_patients == 5
