"""The reader that runs alone: the decisions of steadycut to the last bit, or a refusal."""

import ast
import base64
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.trust.cells import strange_cells
from benchmarks.trust.rule_file import (
    broken_rules,
    changed_files,
    changed_signatures,
    judged_signatures,
    same_decisions,
    spoiled_tables,
)
from scripts.write_golden import AGGREGATORS, GOLDEN, TABLE, decided_columns
from scripts.write_schema import reader_text
from steadycut import CovariateRule, FrozenRule, StrataRule, __version__, aggregate, rule_reader
from steadycut.core.aggregate import aggregators
from steadycut.core.aggregate.aggregators import parse_aggregator, sort_segments
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.documents.signature import make_key, sign
from steadycut.errors import BadRuleFile, BadTable, SteadycutWarning
from steadycut.io.safe_csv import csv_bytes
from tests.cli.commands import run_command

SOURCE = Path(rule_reader.__file__)
PATHS = sorted(GOLDEN.glob("*/*.json"))
KINDS_OF = {"rule": FrozenRule, "strata": StrataRule, "covariate": CovariateRule}
HERE = GOLDEN / __version__
FLOATS = st.floats(-1e300, 1e300)
PLACES = st.floats(0, 1)


def first_columns(path):
    """Return the columns of decisions that the files of all versions have."""
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8"), newline="")))
    return decided_columns(dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True)))


# Alone -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rule-nested", "strata-ge"])
def test_it_runs_alone_in_a_folder_of_its_own(name, tmp_path):
    for path in (SOURCE, HERE / f"{name}.json", HERE / TABLE):
        shutil.copy(path, tmp_path)
    command = [sys.executable, "-I", "-S", SOURCE.name, f"{name}.json", TABLE, "--out", "d.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nWrote d.csv\n")
    assert first_columns(tmp_path / "d.csv") == (HERE / f"{name}.csv").read_bytes()
    assert len(list(tmp_path.iterdir())) == 4


def test_it_needs_the_standard_library_only_and_an_old_python():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"), feature_version=(3, 8))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in found if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in found if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names
    # What came after Python 3.8, though its syntax is older.
    for newer in ("removesuffix", "removeprefix", "strict=True)", "math.lcm", "bit_count"):
        assert newer not in SOURCE.read_text(encoding="utf-8")


def streamed(tmp_path, streams):
    """Run the reader in a shell that leads its streams elsewhere."""
    command = f"{sys.executable} {SOURCE} {HERE / 'rule-ge.json'} {HERE / TABLE} --out d.csv"
    ran = subprocess.run(
        ["bash", "-c", f"{command} {streams}; exit ${{PIPESTATUS[0]}}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize(
    ("streams", "code", "lines"),
    [
        (">&-", 0, 0),
        (">&- 2>&-", 0, 0),
        (">/dev/full", 2, 1),
        (">/dev/full 2>&-", 2, 0),
        ("| true", 1, 0),
    ],
)
def test_closed_and_full_streams_give_one_line_at_most(tmp_path, streams, code, lines):
    found, said = streamed(tmp_path, streams)
    assert (found, len(said.splitlines())) == (code, lines)
    assert (tmp_path / "d.csv").exists()


def test_ctrl_c_is_one_line(tmp_path, monkeypatch, capsys):
    def press(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(rule_reader, "main", press)
    assert rule_reader.run_command() == 130
    assert capsys.readouterr().err == "rule_reader: interrupted; no result was written.\n"


def test_a_pipe_is_not_replaced(tmp_path, capsys):
    os.mkfifo(tmp_path / "d.csv")
    text = refusal(capsys, HERE / "rule-ge.json", HERE / TABLE, "--out", tmp_path / "d.csv")
    assert "It is a pipe or a device" in text
    assert (tmp_path / "d.csv").is_fifo()


# The same to the last bit ------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_decides_as_every_version_did(path, tmp_path, capsys):
    out = tmp_path / "decisions.csv"
    code = rule_reader.main([str(path), str(path.parent / TABLE), "--out", str(out)])
    assert code == 0
    assert ("was not checked here" in capsys.readouterr().err) == ("remembered" in path.stem)
    assert first_columns(out) == path.with_suffix(".csv").read_bytes()
    rule = KINDS_OF[path.stem.partition("-")[0]].load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SteadycutWarning)
        decided = rule.decide(str(path.parent / TABLE), force=True)
    assert out.read_bytes() == csv_bytes(decided)


def test_it_writes_the_file_that_apply_writes(tmp_path, capsys):
    rule, table = HERE / "rule-ensemble-gls.json", HERE / TABLE
    ran = run_command(capsys, "apply", rule, table, "--out", tmp_path / "a.csv")
    assert ran.code == 0
    assert rule_reader.main([str(rule), str(table), "--out", str(tmp_path / "b.csv")]) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_it_knows_every_aggregator():
    assert set(rule_reader.AGGREGATORS) == set(aggregators.AGGREGATORS)
    assert {how.partition(":")[0] for how in AGGREGATORS} == set(aggregators.AGGREGATORS)


def bits(value):
    return float(value).hex()


def hows(number):
    """Every aggregator but noisy-or, with a number from 0 to 1 in it."""
    names = ["mean", "median", "max", "min", f"quantile:{number!r}", f"fraction-above:{number!r}"]
    return [*names, f"top-k:{1 + int(9 * number)}", f"trimmed-mean:{number * 0.499!r}"]


@given(st.lists(FLOATS, min_size=1, max_size=30), PLACES)
@example([-0.0], 0.5)
@example([-0.0, 0.0, -0.0], 0.0)
@example([5e-324, -5e-324, 2.5e-308], 0.25)
@example([-5e-324, 0.0], 0.5)
@example([1e300, -1e300, 1.0, 1e-300], 1.0)
@example([float(np.float32(0.1))] * 7, 0.3)
def test_every_aggregator_gives_the_same_bits(scores, number):
    segments = sort_segments(np.zeros(len(scores), dtype=np.int64), np.array(scores))
    plain = [score + 0.0 for score in scores]
    for how in hows(number):
        expected = parse_aggregator(how)(segments)[0]
        assert bits(rule_reader.parse_aggregator(how)(plain)) == bits(expected), how


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@example([0.0, 0.0])
@example([1.0, 0.5])
@example([5e-324, 1 - 2**-53])
def test_noisy_or_gives_the_same_bits(scores):
    segments = sort_segments(np.zeros(len(scores), dtype=np.int64), np.array(scores))
    expected = parse_aggregator("noisy-or")(segments)[0]
    assert bits(rule_reader.parse_aggregator("noisy-or")(scores)) == bits(expected)


@pytest.mark.parametrize("spread", [0, 30, 280])
@pytest.mark.parametrize("seed", range(4))
def test_long_sums_give_the_same_bits(seed, spread):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=2000) * 10.0 ** rng.integers(-spread, spread + 1, 2000)
    segments = sort_segments(np.zeros(scores.size, dtype=np.int64), scores)
    expected = parse_aggregator("mean")(segments)[0]
    assert bits(rule_reader.parse_aggregator("mean")(scores.tolist())) == bits(expected)


@given(st.floats(allow_nan=False, allow_infinity=False, max_value=1e300, min_value=-1e300))
def test_a_number_is_read_as_it_was_written(value):
    for text in (repr(value), f"{value:.17e}", f" {value!r}\t"):
        (found,) = rule_reader._numbers({"s": [text]}, "s")
        assert bits(found) == bits(value)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("count", "n"),
    [
        (same_decisions, 12),
        (spoiled_tables, 12),
        (changed_files, 60),
        (changed_signatures, 40),
        (broken_rules, 120),
        (strange_cells, 60),
    ],
)
def test_random_rules_tables_and_changes(count, n, seed, tmp_path):
    row = count(n, np.random.default_rng(seed), tmp_path)
    assert (row.tried, row.failed) == (n, 0), row


# Refusals ----------------------------------------------------------------------------------


def refusal(capsys, *arguments):
    """The one line of a run that is refused."""
    assert rule_reader.main([str(argument) for argument in arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("rule_reader: ")
    assert streams.err.count("\n") == 1
    return streams.err


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a table of one line a row, and one that is refused."""

    def write(*lines, name="table.csv"):
        path = tmp_path / name
        path.write_bytes("\n".join(lines).encode() + b"\n")
        return path

    return write


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["patient,slide"], "no column 'score'"),
        (["patient,score,score", "a,1,2"], "more than one column 'score'"),
        (["patient,score"], "has no rows"),
        (["patient,score", "a,"], "1 of 1 are missing"),
        (["patient,score", "a,NA", "a,1"], "1 of 2 are missing"),
        (["patient,score", "a,nan"], "missing, NaN or infinite"),
        (["patient,score", "a,1e999"], "missing, NaN or infinite"),
        (["patient,score", '"a","1,5"'], "1 of 1 are other text"),
        (["patient,score", "a,٣"], "other text"),
        (["patient,score", "a,1_0"], "other text"),
        (["patient,score", "a,2e300"], "must not exceed 1e+300"),
        (["patient,score", ",1"], "'patient' must be filled in every row; 1 of 1"),
        (["patient,score", "None,1", "a,1"], "'patient' must be filled in every row; 1 of 2"),
        (["patient,score", "NA,1"], "1 of 1 rows have no value there"),
        (["patient,score", "\u00a0NA,1", "N\u200bA\t,1"], "2 of 2 rows have no value there"),
        (["patient,score", "a,+-3"], "other text"),
        (["patient,score", "a,1,2"], "a row of 3 cells"),
        (["patient,score", "a"], "a row of 1 cells"),
        (["patient,score", 'a,"1'], "cannot be read"),
        (["patient,score", "a\0,1"], "NUL"),
        (["patient,score", "a,1\r", "a,2"], "end in different ways"),
        ([""], "no column"),
        (["patient,score,x,x", "a,1,2,3"], "more than one column 'x'"),
        (["patient,score", ' "a",1', "a,2"], "a blank before a quote"),
        (["patient,score", 'a, "1"'], "a blank before a quote"),
        (["patient,score", '"a" ,1'], "cannot be read"),
    ],
)
def test_a_table_that_is_not_clear_is_refused(lines, words, written, tmp_path, capsys):
    path, out = written(*lines), tmp_path / "d.csv"
    assert words in refusal(capsys, HERE / "rule-ge.json", path, "--out", out)
    assert not out.exists()


@pytest.mark.parametrize(
    "lines",
    [
        ["patient,score,x,x", "a,1,2,3"],
        ["patient,score", ' "a",1', "a,2"],
        ["patient,score", '"a" ,1'],
    ],
)
def test_steadycut_refuses_what_the_reader_refuses(lines, written):
    rule = FrozenRule.load(HERE / "rule-ge.json")
    with pytest.raises(BadTable):
        rule.decide(written(*lines), force=True)


def test_a_cell_that_holds_a_blank_and_a_quote_is_read_alike(written):
    path = written("patient,score", '" ""a""",1', '"b, ""c""",1')
    rule = rule_reader.load_rule(str(HERE / "rule-ge.json"))
    expected = [' "a"', 'b, "c"']
    assert rule_reader.read_table(str(path), rule)["patient"] == expected
    assert aggregate(path, patient="patient", score="score").patients.tolist() == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"score_range": [3.0, 1.0]},
        {"target_prevalence": [0.4, 0.1]},
        {"certificate": {"value": -0.1}},
        {"certificate": {"risk": -0.1}},
    ],
)
def test_reversed_ranges_and_negative_risks_are_refused_by_both(wrong, tmp_path, capsys):
    content = json.loads((HERE / "rule-ge.json").read_bytes())
    for name, value in wrong.items():
        content[name] = {**content[name], **value} if isinstance(value, dict) else value
    content["sha256"] = content_hash(content)
    (tmp_path / "rule.json").write_bytes(frozen_bytes(content))
    with pytest.raises(BadRuleFile):
        FrozenRule.load(tmp_path / "rule.json")
    out = tmp_path / "d.csv"
    assert "is not a rule" in refusal(capsys, tmp_path / "rule.json", HERE / TABLE, "--out", out)


@pytest.mark.parametrize("wrong", ["", [], [0.5], [0.5, 0.25], [1.0, "2"]])
def test_a_range_of_scores_that_is_none_is_refused(wrong, written, tmp_path, capsys):
    rule = sealed(tmp_path, "rule-ge", score_range=wrong)
    table = written("patient,score", "a,1")
    assert "is not a rule" in refusal(capsys, rule, table, "--out", tmp_path / "d.csv")


def test_files_that_cannot_be_used_are_refused(written, tmp_path, capsys):
    rule, table, out = HERE / "rule-ge.json", HERE / TABLE, tmp_path / "d.csv"
    assert "cannot be read" in refusal(capsys, rule, tmp_path / "none.csv", "--out", out)
    assert "end in .csv or .tsv" in refusal(capsys, rule, "t.parquet", "--out", out)
    assert "must end in .csv" in refusal(capsys, rule, table, "--out", tmp_path / "d.txt")
    assert "cannot read the rule" in refusal(capsys, tmp_path / "no.json", table, "--out", out)
    assert "cannot write" in refusal(capsys, rule, table, "--out", tmp_path / "none/d.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("patient,score\nä,1\n".encode("latin-1"))
    assert "not UTF-8" in refusal(capsys, rule, latin, "--out", out)
    own = written("patient,score", "a,1")
    assert "one of the files that are read" in refusal(capsys, rule, own, "--out", own)
    assert own.read_text() == "patient,score\na,1\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latin.csv", "table.csv"]


def test_a_tsv_and_other_separators_are_read(written, tmp_path):
    out = tmp_path / "d.csv"
    for separator, name in (("\t", "t.tsv"), (";", "t.csv"), ("|", "t.csv")):
        path = written(f"patient{separator}score", f"a{separator}0.7", name=name)
        arguments = [str(HERE / "rule-ge.json"), str(path), "--out", str(out), "--force"]
        assert rule_reader.main(arguments) == 0
        assert first_columns(out) == b"patient,score,decision,flip_probability\na,0.7,1,0.0\n"


def test_identifiers_are_no_formulas(written, tmp_path):
    path = written("patient,score", "=1+1,0.7", "-5,0.7", '"@a,""b",0.7')
    arguments = [str(HERE / "rule-ge.json"), str(path), "--out", str(tmp_path / "d.csv")]
    assert rule_reader.main([*arguments, "--force"]) == 0
    lines = (tmp_path / "d.csv").read_text().splitlines()[1:]
    assert [line.rsplit(",", 6)[0] for line in lines] == ["-5", "'=1+1", '"\'@a,""b"']


# The rule ----------------------------------------------------------------------------------


def sealed(tmp_path, name, **changes):
    content = {**json.loads((HERE / f"{name}.json").read_bytes()), **changes}
    path = tmp_path / "changed.json"
    path.write_bytes(frozen_bytes({**content, "sha256": content_hash(content)}))
    return path


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("rule-ge", {"schema": "steadycut.rule/2"}, "has the schema 'steadycut.rule/2'"),
        ("rule-ge", {"schema": None}, "has the schema 'None'"),
        ("rule-ge", {"guard": 1}, "the field 'guard', which this reader does not know"),
        ("rule-ge", {"costs": {"cost_fn": 1.0, "unit\n": 1}}, r"the field 'unit\\n'"),
        ("rule-ge", {"threshold": "1"}, "is not a rule of schema"),
        ("rule-ge", {"direction": "up"}, "is not a rule of schema"),
        ("rule-ge", {"aggregation": []}, "is not a rule of schema"),
        ("rule-ge", {"aggregation": [{"level": "patient", "how": "sum"}]}, "is not a rule"),
        ("rule-ge", {"aggregation": [{"level": "patient", "how": "mean:1"}]}, "is not a rule"),
        ("rule-ge", {"aggregation": [{"level": "patient", "how": "quantile:2"}]}, "is not a rule"),
        ("rule-ge", {"aggregation": [{"level": "patient", "how": "top-k:0"}]}, "is not a rule"),
        ("rule-ge", {"bootstrap_thresholds": []}, "is not a rule of schema"),
        ("rule-ge", {"operating_value": "0.5"}, "is not a rule of schema"),
        ("rule-ge", {"costs": {"cost_fn": 0.0, "cost_fp": 1.0}}, "is not a rule of schema"),
        ("rule-ge", {"adapted": None}, "is not a rule of schema"),
        ("rule-ge", {"schema": ["steadycut.rule/1"]}, "has the schema"),
        ("strata-ge", {"costs": [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]}, "is not a rule of schema"),
        ("rule-ge", {"ensemble": {"kind": "gls", "methods": []}}, "is not a rule of schema"),
        ("strata-ge", {"thresholds": [2.0, 1.0]}, "is not a rule of schema"),
        ("strata-ge", {"strata": ["low", "high"]}, "is not a rule of schema"),
        ("covariate-groups", {"draws": []}, "is not a rule of schema"),
        ("covariate-groups", {"kind": "smooth"}, "is not a rule of schema"),
        ("covariate-smooth", {"scale": {"ranks": [1], "thresholds": [1.0]}}, "is not a rule"),
    ],
)
def test_a_rule_that_it_cannot_apply_is_refused(name, changes, words, tmp_path, capsys):
    path = sealed(tmp_path, name, **changes)
    text = refusal(capsys, path, HERE / TABLE, "--out", tmp_path / "d.csv")
    assert words.replace("\\\\", "\\") in text


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff", b"[" * 100_000, b'{"schema": NaN}', b"\xef\xbb\xbf{}", b"1" * 5000],
)
def test_what_is_no_rule_is_refused(content, tmp_path, capsys):
    path = tmp_path / "rule.json"
    path.write_bytes(content)
    refusal(capsys, path, HERE / TABLE, "--out", tmp_path / "d.csv")


def test_a_number_that_is_never_written_and_a_file_without_a_hash_are_refused(tmp_path, capsys):
    whole, path = (HERE / "rule-ge.json").read_bytes(), tmp_path / "rule.json"
    for changed in (
        re.sub(rb'"threshold": [^,\n]+', b'"threshold": 1e999', whole),
        re.sub(rb' "sha256": "[0-9a-f]+",\n', b"", whole),
    ):
        assert changed != whole
        path.write_bytes(changed)
        assert "was changed" in refusal(capsys, path, HERE / TABLE, "--out", tmp_path / "d.csv")


def test_a_file_larger_than_any_rule_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(rule_reader, "LARGEST_FILE", 1000)
    rule = HERE / "rule-ge.json"
    assert "too large" in refusal(capsys, rule, HERE / TABLE, "--out", tmp_path / "d.csv")


def test_it_knows_the_form_of_every_field():
    assert SOURCE.read_text("utf-8") == reader_text(), "run python scripts/write_schema.py"
    assert set(rule_reader.KINDS) == {kind.schema for kind in KINDS_OF.values()}


# By covariate, and patients unlike those of the rule ---------------------------------------


def test_a_group_that_was_not_seen_is_refused_or_pooled(written, tmp_path, capsys):
    path, out = written("patient,score,sex", "a,0.9,x", "b,0.9,f"), tmp_path / "d.csv"
    rule = HERE / "covariate-groups.json"
    given = [rule, path, "--out", out, "--force"]
    assert "1 of 2 patients are of a group of 'sex'" in refusal(capsys, *given)
    assert rule_reader.main([*map(str, given), "--unseen", "pooled"]) == 0


@pytest.mark.parametrize("names", [["0.0", "1.0"], ["1", "1.0"], ["0", "1"], ["01", "1.10"]])
def test_groups_are_known_by_the_names_that_steadycut_knows_them_by(names, written, tmp_path):
    cuts = json.loads((HERE / "covariate-groups.json").read_bytes())["cuts"]
    cuts = [{**cut, "at": name} for cut, name in zip(cuts, names, strict=True)]
    rule = sealed(tmp_path, "covariate-groups", cuts=cuts)
    texts = ["0", "0.0", "1", " 1.00", "-0.0", "01", "1.1", "1.10", "1e0", "+1", "1."]
    scores = [f"{text}-{x},0.{x},{text}" for text in texts for x in range(1, 10)]
    path = written("patient,score,sex", *scores, *scores)
    decided = CovariateRule.load(rule).decide(str(path), unseen="pooled")
    loaded = rule_reader.load_rule(str(rule))
    found = rule_reader.decide(loaded, rule_reader.read_table(str(path), loaded), "pooled")
    for column in ("patient", "decision", "flip_probability", "threshold", "outside_range"):
        assert found[column] == decided[column].tolist()


def test_a_covariate_must_be_one_a_patient_and_a_number_if_smooth(written, tmp_path, capsys):
    out = tmp_path / "d.csv"
    path = written("patient,score,sex", "a,1,f", "a,1,m")
    text = refusal(capsys, HERE / "covariate-groups.json", path, "--out", out)
    assert "some patients have several values" in text
    path = written("patient,low,age", "a,1,old", "a,1,old")
    text = refusal(capsys, HERE / "covariate-smooth.json", path, "--out", out)
    assert "'age' must hold finite numbers" in text


def test_rows_that_were_aggregated_before_are_refused_unless_forced(written, tmp_path, capsys):
    lines = [f"p{number},0.{number}" for number in range(10, 30)]
    path, out = written("patient,score", *lines), tmp_path / "d.csv"
    given = [HERE / "rule-ge.json", path, "--out", out]
    assert "Give the table of instances, or use --force" in refusal(capsys, *given)
    assert rule_reader.main([*map(str, given), "--force"]) == 0


def nested(patients, rows, slides, header="patient,slide,score,other"):
    """The lines of a table, with so many rows and slides a patient."""
    numbers = range(rows * patients)
    cells = [(n // rows, n % slides, n / 97 % 1, n / 31 % 1) for n in numbers]
    kept = [["patient", "slide", "score", "other"].index(name) for name in header.split(",")]
    lines = [(f"p{p:02d}", f"s{s}", f"{x:.3f}", f"{y:.3f}") for p, s, x, y in cells]
    return [header, *(",".join(line[place] for place in kept) for line in lines)]


TWO_LEVELS = [
    {"level": "slide", "how": "max"},
    {"level": "block", "how": "mean"},
    {"level": "patient", "how": "mean"},
]


@pytest.mark.parametrize(
    ("name", "changes", "lines", "forced"),
    [
        ("rule-nested", {}, nested(12, 4, 2), None),
        ("rule-ge", {}, nested(12, 1, 1), "aggregation"),
        ("rule-nested", {}, nested(12, 1, 1), "aggregation"),
        ("rule-nested", {}, nested(12, 4, 1), "missing level"),
        ("rule-nested", {}, nested(12, 4, 2, "patient,score"), "missing level"),
        ("rule-nested", {}, nested(12, 1, 1, "patient,score"), "missing level; aggregation"),
        ("rule-ensemble-gls", {}, nested(12, 4, 2, "patient,score,other"), "missing level"),
        ("rule-nested", {"aggregation": TWO_LEVELS}, nested(12, 4, 1), "missing level"),
        (
            "rule-nested",
            {"aggregation": TWO_LEVELS},
            nested(12, 4, 2, "patient,score"),
            "missing level; missing level",
        ),
    ],
)
def test_what_is_forced_is_recorded_as_apply_does(
    name, changes, lines, forced, written, tmp_path, capsys
):
    rule, table = sealed(tmp_path, name, **changes), written(*lines)
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    assert run_command(capsys, "apply", rule, table, "--out", a, "--force").code == 0
    given = [str(rule), str(table), "--out", str(b)]
    if forced is not None:
        refusal(capsys, *given)
    assert rule_reader.main([*given, "--force"]) == 0
    assert b.read_bytes() == a.read_bytes()
    ends = {line.rpartition(",")[2] for line in b.read_text().splitlines()[1:]}
    assert forced is None or ends == {forced}
    assert (f"forced: {forced}." in capsys.readouterr().err) == (forced is not None)


def test_scores_outside_the_range_of_the_rule_are_told(written, tmp_path, capsys):
    path = written("patient,score", "a,70", "a,80", "b,0.5", "b,0.6")
    given = [HERE / "rule-ge.json", path, "--out", tmp_path / "d.csv"]
    assert rule_reader.main(list(map(str, given))) == 0
    assert "1 of 2 patients have scores outside" in capsys.readouterr().err


def test_noisy_or_of_no_probabilities_is_refused(written, tmp_path, capsys):
    path = written("patient,score", "a,0.5", "a,1.5")
    text = refusal(capsys, HERE / "rule-uniform.json", path, "--out", tmp_path / "d.csv")
    assert "noisy-or needs scores from 0 to 1" in text


def test_a_column_in_two_roles_is_refused(tmp_path, capsys):
    columns = json.loads((HERE / "rule-ge.json").read_bytes())["columns"]
    path = sealed(tmp_path, "rule-ge", columns={**columns, "patient": "score"})
    assert "two roles" in refusal(capsys, path, HERE / TABLE, "--out", tmp_path / "d.csv")


def test_it_reads_a_rule_with_certified_rates(tmp_path):
    """It decides as the same rule does without them."""
    content = json.loads((HERE / "rule-nested.json").read_bytes())
    one = {"rate": "sensitivity", "asked": 0.9, "right": 9, "n_patients": 10, "observed": 0.9}
    content["certified_rates"] = [{**one, "lower": 0.66, "upper": 0.99, "answer": "cannot tell"}]
    content["sha256"] = content_hash({k: v for k, v in content.items() if k != "sha256"})
    path = tmp_path / "rule.json"
    path.write_bytes(frozen_bytes(content))
    assert FrozenRule.load(path).document.certified_rates[0].asked == 0.9
    assert rule_reader.main([str(path), str(HERE / TABLE), "--out", str(tmp_path / "d.csv")]) == 0
    assert first_columns(tmp_path / "d.csv") == (HERE / "rule-nested.csv").read_bytes()


# Signatures --------------------------------------------------------------------------------


def signed_by(tmp_path, name="key"):
    """Return a rule that was signed with a key, and the public key."""
    rule = tmp_path / "rule.json"
    shutil.copy(HERE / "rule-ge.json", rule)
    make_key(tmp_path / name)
    sign(rule, tmp_path / name)
    return rule, tmp_path / f"{name}.pub"


def test_a_signed_rule_is_used_and_no_other(tmp_path, capsys):
    rule, key = signed_by(tmp_path)
    given = [rule, HERE / TABLE, "--out", tmp_path / "d.csv", "--verify"]
    assert rule_reader.main([str(one) for one in [*given, key]]) == 0
    capsys.readouterr()
    make_key(tmp_path / "other")
    assert "another key" in refusal(capsys, *given, tmp_path / "other.pub")
    assert "not an Ed25519 public key" in refusal(capsys, *given, tmp_path / "key")
    assert "cannot read the key" in refusal(capsys, *given, tmp_path / "none")
    shutil.copy(HERE / "rule-le.json", rule)
    assert "does not fit" in refusal(capsys, *given, key)
    Path(f"{rule}.sig").write_bytes(b"{}")
    assert "is not a signature" in refusal(capsys, *given, key)
    Path(f"{rule}.sig").unlink()
    assert "cannot read the signature" in refusal(capsys, *given, key)


# RFC 8032, section 7.1: key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
            "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_signatures_of_the_standard_are_right(vector):
    key, message, signature = map(bytes.fromhex, vector)
    assert rule_reader.is_signed(key, signature, message)
    assert not rule_reader.is_signed(key, signature, message + b"x")
    # The same scalar plus the order of the group: a second signature of the same message.
    more = int.from_bytes(signature[32:], "little") + rule_reader.ORDER
    assert not rule_reader.is_signed(key, signature[:32] + more.to_bytes(32, "little"), message)
    # The opposite points: a first half and a key with the other sign.
    opposite = signature[:31] + bytes([signature[31] ^ 0x80]) + signature[32:]
    assert not rule_reader.is_signed(key, opposite, message)
    assert not rule_reader.is_signed(key[:31] + bytes([key[31] ^ 0x80]), signature, message)
    for wrong in (signature[:-1], signature + b"\0", b""):
        assert not rule_reader.is_signed(key, wrong, message)


# The number of a point may be written once: as a number from 0 below the prime (RFC 8032, 5.1.3).
OTHER_NUMBERS = [
    (y + rule_reader.PRIME | odd << 255).to_bytes(32, "little") for y in range(19) for odd in (0, 1)
]


@pytest.mark.parametrize("key", OTHER_NUMBERS)
def test_a_key_that_is_written_as_another_number_is_none(key):
    pem = base64.b64encode(rule_reader.PUBLIC_START + key)
    pem = b"-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n" % pem
    assert rule_reader.public_key(pem) == b""
    assert rule_reader.is_weak(key)


def test_a_key_that_is_no_point_is_none():
    points = [y.to_bytes(32, "little") for y in range(2, 40)]
    none = [key for key in points if rule_reader.is_weak(key)]
    assert 10 < len(none) < 30
    assert not any(rule_reader.is_signed(key, key + bytes(32), b"") for key in none)


def test_it_judges_signatures_as_the_package_does():
    rng = np.random.default_rng(0)
    row = judged_signatures(200, rng)
    assert (row.tried, row.failed) == (200, 0)


def test_rows_that_are_aggregated_already_are_refused_by_every_kind(tmp_path, capsys):
    """Files of today count the certifying patients, and have their rows beside that."""
    counts = {"fn": 3, "fp": 4, "tn": 50, "tp": 40}
    rows = {"smallest": 2, "median": 4.0, "largest": 8}
    rule = sealed(tmp_path, "covariate-groups", reference=counts, instances_per_patient=rows)
    names = rule_reader.needed_columns(json.loads(rule.read_bytes()))
    table = tmp_path / "one_row.csv"
    group = json.loads(rule.read_bytes())["cuts"][0]["at"]
    values = {names[0]: "p{i}", names[1]: "0.5", names[-1]: group}
    lines = [",".join(values[name].format(i=i) for name in names) for i in range(12)]
    table.write_text("\n".join([",".join(names), *lines, ""]))
    text = refusal(capsys, rule, table, "--out", tmp_path / "out.csv")
    assert "every patient has one of the rows" in text


def test_pooled_is_for_covariates(tmp_path, capsys):
    asked = (HERE / "instances.csv", "--unseen", "pooled", "--out", tmp_path / "out.csv")
    assert "is for a covariate.json" in refusal(capsys, HERE / "rule-ge.json", *asked)
