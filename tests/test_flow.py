"""From a table of two hospitals to a frozen rule, its decisions, its audit and a comparison."""

import contextlib
import csv
import io
import json
import math

import numpy as np
import pyarrow.parquet as pq
import pytest

from steadycut import aggregate, fit
from steadycut.cli.main import run
from steadycut.datasets import write_two_hospitals
from steadycut.errors import SteadycutError

COLUMNS = ["--patient", "patient", "--score", "score", "--label", "tumour"]
COLUMNS += ["--level", "slide:max", "--aggregate", "quantile:0.9"]
COSTS = ["--cost-fn", "2", "--cost-fp", "1"]
AT_A = ["--site", "hospital", "--internal", "A"]


def steadycut(*arguments):
    """Run a command that must succeed, and return the JSON object that it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([*map(str, arguments), "--json"])
    assert code == 0, err.getvalue()
    said = err.getvalue().splitlines()
    assert all(line.startswith("steadycut: warning: score range: ") for line in said)
    return json.loads(out.getvalue())


class Flow:
    """The whole flow once: files in a folder, and what each command printed."""

    def __init__(self, folder):
        self.folder = folder
        self.table = folder / "two_hospitals.csv"
        write_two_hospitals(self.table, n_internal=120, n_external=80)
        self.study = steadycut("fit", self.table, *COLUMNS, *COSTS, *AT_A, "--out", folder / "fit")
        rule, at_b = folder / "fit" / "rule.json", self.only_b()
        self.rule = json.loads(rule.read_bytes())
        self.applied = steadycut("apply", rule, at_b, "--out", folder / "d.csv")
        steadycut("apply", rule, at_b, "--out", folder / "d.parquet")
        there = ["--label", "tumour", "--site", "hospital", "--external", "B"]
        self.audit = steadycut("audit", rule, self.table, *there, "--out", folder / "audit")
        both = [*AT_A, "--external", "B", "--out", folder / "compare"]
        self.compared = steadycut("compare", self.table, *COLUMNS, *COSTS, *both)

    def only_b(self):
        """The table that hospital B would bring: its own patients."""
        head, *rows = self.table.read_text(encoding="utf-8").splitlines()
        path = self.folder / "b.csv"
        path.write_text("\n".join([head, *[r for r in rows if r[:2] == "B,"]]), encoding="utf-8")
        return path

    def decided(self):
        with (self.folder / "d.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def by_hand(self):
        """Scores and labels at B, by a loop: the largest tile a slide, then the quantile."""
        slides, labels = {}, {}
        with self.table.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["hospital"] == "B":
                    of_patient = slides.setdefault(row["patient"], {})
                    largest = max(float(row["score"]), of_patient.get(row["slide"], -1.0))
                    of_patient[row["slide"]] = largest
                    labels[row["patient"]] = int(row["tumour"])
        scores = {name: np.quantile(list(tops.values()), 0.9) for name, tops in slides.items()}
        return scores, labels


@pytest.fixture(scope="module")
def flow(tmp_path_factory):
    return Flow(tmp_path_factory.mktemp("flow"))


def test_fit_writes_what_it_prints(flow):
    assert flow.study == json.loads((flow.folder / "fit" / "study.json").read_bytes())
    for key in ("threshold", "operating_value", "direction", "certificate", "costs"):
        assert flow.rule[key] == flow.study[key]
    assert flow.study["patients"]["total"] == 120
    page = (flow.folder / "fit" / "report.html").read_text(encoding="utf-8")
    assert f"{flow.study['threshold']:.4g}" in page


def test_apply_makes_the_scores_that_a_loop_makes(flow):
    header, *rows = flow.decided()
    scores, _ = flow.by_hand()
    assert header == [
        "patient",
        "score",
        "decision",
        "flip_probability",
        "threshold",
        "outside_range",
        "rule_sha256",
    ]
    assert {row[0]: float(row[1]) for row in rows} == pytest.approx(scores, abs=1e-12)
    assert len(rows) == flow.applied["n_patients"] == 80


def test_apply_decides_as_the_rule_file_says(flow):
    # JSON has no infinity: a file says in words that a cut-off calls everybody or nobody.
    words = {"below every score": "-inf", "above every score": "inf"}
    draws = [float(words.get(draw, draw)) for draw in flow.rule["bootstrap_thresholds"]]
    assert any(map(math.isfinite, draws))
    for _, score, decision, flip, *_ in flow.decided()[1:]:
        assert int(decision) == (float(score) >= flow.rule["threshold"])
        calls = sum(float(score) >= draw for draw in draws) / len(draws)
        assert float(flip) == pytest.approx(1 - calls if decision == "1" else calls, abs=1e-12)


def test_parquet_is_the_same_table(flow):
    header, *rows = flow.decided()
    parquet = pq.read_table(flow.folder / "d.parquet")
    assert parquet.column_names == header
    kinds = (str, float, int, float, float, int, str)
    for at, (name, kind) in enumerate(zip(header, kinds, strict=True)):
        assert parquet[name].to_pylist() == [kind(row[at]) for row in rows]


def test_the_decisions_are_the_counts_of_the_audit(flow):
    _, labels = flow.by_hand()
    pairs = [(int(row[2]), labels[row[0]]) for row in flow.decided()[1:]]
    point = flow.audit["operating_point"]
    expected = [pairs.count(pair) for pair in ((1, 1), (0, 1), (1, 0), (0, 0))]
    assert [point[key] for key in ("tp", "fn", "fp", "tn")] == expected
    assert len(pairs) == flow.audit["n_patients"]
    assert flow.audit["risk_external"] == pytest.approx((2 * expected[1] + expected[2]) / 80)
    assert flow.audit["call_rate"] == flow.applied["call_rate"]
    assert flow.audit["flip_rate"] == flow.applied["flip_rate"]
    assert flow.audit["warnings"] == flow.applied["warnings"]


def test_the_audit_explains_the_change_of_risk(flow):
    assert flow.audit == json.loads((flow.folder / "audit" / "audit.json").read_bytes())
    assert (flow.folder / "audit" / "audit.html").stat().st_size > 0
    signed = flow.audit["shift"]["signed"]
    parts = signed["prevalence"] + signed["shape_positive"] + signed["shape_negative"]
    change = flow.audit["risk_external"] - flow.study["certificate"]["risk"]
    assert parts == pytest.approx(change, abs=1e-12)
    assert flow.audit["augmented"] >= flow.audit["base"] >= flow.study["certificate"]["value"]


def test_the_comparison_agrees_with_fit_and_audit(flow):
    assert flow.compared == json.loads((flow.folder / "compare" / "compare.json").read_bytes())
    stable = next(row for row in flow.compared["rows"] if row["rule"] == "stable")
    assert stable["threshold"] == flow.study["threshold"] == flow.rule["threshold"]
    assert stable["risk_external"] == flow.audit["risk_external"]
    assert stable["risk_validation"] == flow.study["certificate"]["risk"]
    assert stable["flip_rate"] == flow.audit["flip_rate"]
    assert flow.compared["patients"] == {"internal": 120, "external": 80}


def test_a_function_is_not_frozen_under_the_name_of_an_aggregator(flow):
    def mean(scores):
        return scores[-1] / 2

    columns = {"patient": "patient", "score": "score", "label": "tumour"}
    for asked in ({"how": mean}, {"levels": [("slide", mean)]}):
        study = fit(aggregate(flow.table, **columns, **asked), n_bootstrap=10)
        with pytest.raises(SteadycutError, match=r"Python function .*'callable:mean'.* be frozen"):
            study.freeze()
