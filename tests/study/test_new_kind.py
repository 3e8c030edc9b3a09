"""A kind of frozen file with nothing but what a kind must provide works in all that is shared."""

import json
from typing import Literal

import numpy as np
import pytest
from pydantic import Field

from steadycut import PatientScores, audit, fit, monitor
from steadycut.app.rules import cut_off_of
from steadycut.documents import parts
from steadycut.documents.frozen import CallFile, FrozenDocument
from steadycut.documents.kinds import SCHEMAS, file_names, load_frozen
from steadycut.show.pages.applied import applied_text
from steadycut.show.pages.rule import rule_page

SCHEMA = "steadycut.log/1"


class MadePart(parts.Part):
    patients: parts.RoleCounts


class LogDocument(FrozenDocument):
    schema_: Literal["steadycut.log/1"] = Field(alias="schema")
    logarithm: float
    costs: parts.CostsPart
    provenance: MadePart


class LogRule(CallFile[LogDocument]):
    """Calls patients whose score has a large logarithm."""

    schema = SCHEMA
    _model = LogDocument
    file_name = "log.json"
    reference_counts = None

    @property
    def costs(self):
        return self.document.costs.as_costs()

    def decide_patients(self, patients):
        return (np.log(patients.scores) >= self.document.logarithm).astype(np.int64)

    def flip_probability_of(self, patients):
        return np.zeros(patients.n_patients)

    def _cut_offs(self, patients):
        return {}


@pytest.fixture
def rule(monkeypatch):
    monkeypatch.setitem(SCHEMAS, SCHEMA, LogRule)
    frozen = fit(cohort(0), n_bootstrap=20).freeze().document
    made = MadePart(patients=frozen.provenance.patients)
    given = {"schema": SCHEMA, "logarithm": 1.0, "provenance": made, "sha256": None}
    return LogRule(LogDocument.of(frozen, **given, units_per_patient=None))


def cohort(seed):
    rng = np.random.default_rng(seed)
    labels = np.tile([0, 1], 60)
    return PatientScores(scores=np.exp(rng.normal(size=120) + 2 * labels), labels=labels)


def test_it_is_written_read_and_shown(rule, tmp_path):
    path = tmp_path / rule.file_name
    rule.save(path)
    assert load_frozen(path) == rule
    assert file_names().endswith(" or log.json")
    assert rule_page(rule).headline[0].startswith("The decision is not called or called.")
    assert cut_off_of(path) == "Decides by “score”: not called or called"
    assert json.loads(path.read_text(encoding="utf-8"))["logarithm"] == 1


def test_it_is_applied_audited_and_watched(rule):
    here = cohort(1)
    called = int((np.log(here.scores) >= 1).sum())
    decisions = rule.decisions(here)
    assert decisions["decision"].sum() == called
    told = applied_text(rule.applied(here, decisions))
    assert told.startswith(f"{called} of 120 patients called (")
    assert "None" not in told
    assert audit(rule, here).describe().frozen_schema == SCHEMA
    assert monitor(rule, here).describe().frozen_schema == SCHEMA
