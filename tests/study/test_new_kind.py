"""A kind of frozen file that is entered in one place works in all that is shared.

A new kind touches five files: what it is in `documents`, its entry in `_kinds`, its fit in `study`,
its command in `cli`, and its public names in ``__init__.pyi``. Here the entry is the only one of
them, and two classes take the place of its file in `documents`.
"""

import json
from typing import Literal

import numpy as np
import pytest
from pydantic import Field

import steadycut
from steadycut import PatientScores, _kinds, audit, fit, monitor
from steadycut.app.rules import cut_off_of
from steadycut.documents import parts
from steadycut.documents import rule as rule_module
from steadycut.documents.frozen import CallFile, FrozenDocument
from steadycut.documents.kinds import load_frozen
from steadycut.documents.same_study import refuse_other_study
from steadycut.documents.study import StudyVerdictPart
from steadycut.errors import BadOption
from steadycut.show.pages.applied import applied_text
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.pages.rule import rule_page

SCHEMA = "steadycut.log/1"


class MadePart(parts.Part):
    patients: parts.RoleCounts


class LogDocument(FrozenDocument):
    schema_: Literal["steadycut.log/1"] = Field(alias="schema")
    logarithm: float
    costs: parts.CostsPart
    provenance: MadePart


class LogStudyDocument(parts.Part):
    schema_: Literal["steadycut.log-study/1"] = Field(
        default="steadycut.log-study/1", alias="schema"
    )
    score: str
    certificate: parts.CertificatePart
    verdict: StudyVerdictPart | None = None


class LogRule(CallFile[LogDocument]):
    """Calls patients whose score has a large logarithm."""

    schema = SCHEMA
    _model = LogDocument
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


LOG = _kinds.Kind(
    schema=SCHEMA,
    rule="rule:LogRule",
    study="rule:LogStudyDocument",
    page_name="log",
    command="log",
    line="Choose a logarithm.",
    fitted="study.log:LogStudy",
)


@pytest.fixture
def rule(monkeypatch):
    monkeypatch.setattr(_kinds, "KINDS", [*_kinds.KINDS, LOG])
    monkeypatch.setattr("steadycut.documents.same_study.KINDS", _kinds.KINDS)
    for one in (LogRule, LogStudyDocument):
        monkeypatch.setattr(rule_module, one.__name__, one, raising=False)
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
    assert _kinds.file_names().endswith(" or log.json")
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


def test_its_study_has_a_page(rule):
    study = LogStudyDocument(score="marker", certificate=rule.certificate)
    page = page_of(study)
    assert page.title == "A study of “marker”"
    assert "log.json" in page.next_step
    assert page.files[0].name == "log-study.json"
    assert kind_of(study.to_plain()).name == "log"


def test_its_files_are_not_mixed_with_those_of_another_study(rule, tmp_path):
    rule.save(tmp_path / "log.json")
    other = audit(fit(cohort(3), n_bootstrap=20).freeze(), cohort(1)).describe()
    written = other.model_copy(update={"rule_sha256": "0" * 64}).to_plain()
    written |= {"rule_sha256": "0" * 64}
    with pytest.raises(BadOption, match=r"log\.json holds results of another study"):
        refuse_other_study(tmp_path, {"audit.json": json.dumps(written).encode()})


def test_its_command_comes_from_the_entry(rule):
    assert _kinds.commands(LOG) == {"log": ("cli.log", "Choose a logarithm.")}


def test_the_classes_of_every_kind_are_public():
    own = {place.partition(":")[2] for kind in _kinds.KINDS for place in (kind.rule, kind.fitted)}
    assert own <= set(steadycut.__all__)
    assert all(getattr(steadycut, name).__name__ == name for name in own)
