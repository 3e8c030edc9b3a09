"""Damaged files, sheets and frozen files: read or refused in one line, never a crash or a hang."""

import os

import numpy as np
import pytest

from benchmarks.trust import inputs
from benchmarks.trust.hostile import damage
from benchmarks.trust.hostile.frozen import GOLDEN
from steadycut import FrozenRule, StrataRule, plan, rule_reader
from steadycut.cli.options import read_key
from steadycut.documents.signature import is_encrypted, read_signature
from steadycut.errors import BadOption, BadRuleFile, BadSignature, BadTable, SteadycutError
from steadycut.pipelines.sheet import read_sheet

FEW = 12


@pytest.mark.parametrize("form", damage.FILES)
def test_damaged_bytes(form, tmp_path):
    assert inputs.damaged_files(form, FEW, np.random.default_rng(0), tmp_path).failed == 0


def test_sheets(tmp_path):
    assert inputs.sheets_of_files(60, np.random.default_rng(0), tmp_path).failed == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("slide,patient,patient\na,b,c\n", "must name each column once"),
        ("slide,patient\na,b,c\n", "1 rows have more"),
        ("slide,patient\n" + "x" * 200_000 + ",b\n", "field larger than field limit"),
    ],
)
def test_sheets_that_could_be_misread(text, told, tmp_path):
    (tmp_path / "sheet.csv").write_text(text, "utf-8")
    with pytest.raises(BadTable, match=told):
        read_sheet(tmp_path / "sheet.csv", "slide")


def test_absurd_frozen_files(tmp_path):
    assert inputs.absurd_frozen_files(60, np.random.default_rng(0), tmp_path).failed == 0


def test_pages_of_studies_with_an_absurd_value(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = inputs.absurd_studies(2, np.random.default_rng(0), tmp_path)
    assert row.failed == 0


def test_a_frozen_file_of_another_kind_says_what_to_do():
    with pytest.raises(BadRuleFile, match=r"Give the rule\.json .* `steadycut apply` takes"):
        FrozenRule.load(next(GOLDEN.glob("strata*.json")))
    with pytest.raises(BadRuleFile, match=r"Give the strata\.json .* `steadycut apply` takes"):
        StrataRule.load(next(GOLDEN.glob("covariate*.json")))


@pytest.mark.parametrize("what", ["pipe", "device"])
def test_nothing_waits_for_a_pipe_or_reads_a_device(what, tmp_path):
    path = tmp_path / "endless"
    os.mkfifo(path) if what == "pipe" else path.symlink_to("/dev/zero")
    for read, error in (
        (FrozenRule.load, BadRuleFile),
        (read_key, BadOption),
        (lambda one: read_sheet(one, "slide"), BadTable),
        (lambda one: plan(pilot=one, width=0.1), SteadycutError),
        (read_signature, BadSignature),
        (is_encrypted, BadSignature),
        (lambda one: rule_reader.load_rule(str(one)), rule_reader.Refused),
    ):
        with pytest.raises(error, match=r"pipe or a device|not a plain file"):
            read(path)
    table = path.rename(tmp_path / "endless.csv")
    rule = rule_reader.load_rule(str(next(GOLDEN.glob("rule*.json"))))
    with pytest.raises(rule_reader.Refused, match="It is a pipe or a device"):
        rule_reader.read_table(str(table), rule)
