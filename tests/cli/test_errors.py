"""What is refused, and what breaks: one line, the right exit code, and nothing left behind."""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import steadycut.cli.fit
import steadycut.cli.results
from steadycut.cli.main import Commands, run
from steadycut.documents.rule import FrozenRule
from tests.cli.commands import (
    FIT,
    HEADER,
    MARK,
    SITES,
    STEADYCUT,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    write_rows,
)

COMMANDS = ["demo", "fit", "apply", "audit", "compare"]


def assert_one_line(ran, code, before, folder):
    """Exit code, one plain line on stderr, nothing on stdout, no patient, no new file."""
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert ran.err.startswith("steadycut: ")
    assert ran.err.endswith("\n")
    assert len(ran.err.splitlines()) == 1
    assert "Traceback" not in ran.err
    assert MARK not in ran.err
    assert "north0" not in ran.err
    assert snapshot(folder) == before


@dataclass
class Place:
    """Where a case is played: a folder, the good table and the good rule."""

    folder: Path
    table: Path
    rule: Path

    @property
    def out(self):
        return self.folder / "out"

    def rows(self, rows, header=HEADER):
        return write_rows(self.folder / "bad.csv", rows, header)

    def text(self, text, name="bad.csv"):
        return self.raw(text.encode(), name)

    def raw(self, content, name="bad.csv"):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def changed(self, column, change):
        return self.rows(column_changed(make_rows(), column, change))


@pytest.fixture
def place(table, rule, tmp_path):
    return Place(tmp_path, table, rule)


def first_row(value):
    return lambda i, old: value if i == 0 else old


def refuse(place, capsys, arguments, *words):
    before = snapshot(place.folder)
    ran = run_command(capsys, *arguments)
    assert_one_line(ran, 2, before, place.folder)
    for word in words:
        assert word in ran.err


# Tables ------------------------------------------------------------------------------------

TABLES = {
    "no such file": (lambda p: p.folder / "nowhere.csv", "no file", "nowhere.csv"),
    "a pattern without files": (lambda p: p.folder / "*.csv", "no file matches"),
    "a folder": (lambda p: p.folder, "is a folder"),
    "another ending": (lambda p: p.text("x", "t.ods"), "must end in one of", "t.ods"),
    "empty": (lambda p: p.text(""), "is empty"),
    "blank": (lambda p: p.text("\n\n"), "is empty"),
    "header only": (lambda p: p.rows([]), "no rows"),
    "not UTF-8": (lambda p: p.raw(b"site,patient,slide,score,other,l\xff\n"), "is not UTF-8"),
    "no Parquet": (lambda p: p.text("site,patient", "t.parquet"), "cannot be read"),
    "no patient column": (lambda p: p.rows(make_rows(), ["site", "id", *HEADER[2:]]), "'patient'"),
    "no score column": (lambda p: p.rows(make_rows(), [*HEADER[:3], "s", *HEADER[4:]]), "'score'"),
    "no label column": (lambda p: p.rows(make_rows(), [*HEADER[:5], "y"]), "'label'"),
    "a column twice": (
        lambda p: p.rows(make_rows(), ["score", *HEADER[1:]]),
        "some are equal (1 repeated)",
    ),
    "no score": (lambda p: p.changed("score", first_row("")), "1 of 360 in 'score'"),
    "NaN score": (lambda p: p.changed("score", first_row("NaN")), "1 of 360 in 'score'"),
    "infinite score": (lambda p: p.changed("score", first_row("inf")), "infinite"),
    "huge score": (lambda p: p.changed("score", first_row("1e301")), "1e+300"),
    "text score": (lambda p: p.changed("score", first_row("high")), "1 of 360 is other text."),
    "decimal comma": (lambda p: p.changed("score", first_row("1,5")), "decimal point", "'9,9'"),
    "no patient": (lambda p: p.changed("patient", first_row("")), "'patient'", "1 of 360"),
    "no label": (lambda p: p.changed("label", first_row("")), "'label'", "1 of 360"),
    "two labels": (lambda p: p.changed("label", first_row(1)), "one label", "1 patient has"),
    "two sites": (lambda p: p.changed("site", first_row("south")), "one site", "1 patient is"),
    "one class": (lambda p: p.changed("label", lambda *_: 0), "0 ill and 60 healthy"),
    "one of a class": (
        lambda p: p.rows([row for row in make_rows() if not row[-1] or "001" in row[1]]),
        "at least 2 patients of each class; got 1 ill",
    ),
    "no site": (lambda p: p.changed("site", first_row("")), "'site'", "1 of 540"),
    "labels 1 and 2": (lambda p: p.changed("label", lambda _, y: y + 1), "must be 0 or 1", "'2'"),
    "labels in words": (
        lambda p: p.changed("label", lambda _, y: ["no", "yes"][y]),
        "must be 0 or 1",
        "'no', 'yes'",
        "--positive VALUE",
    ),
    "labels 0 to 4": (
        lambda p: p.changed("label", lambda i, y: y * (1 + i % 4)),
        "must be of two classes",
        "--label COL",
        "--positive VALUE",
    ),
    "three patients": (lambda p: p.rows(make_rows()[:18]), "at least 2 patients"),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_bad_table_is_refused(place, capsys, name, as_json):
    make, *words = TABLES[name]
    arguments = ["fit", make(place), *FIT, *SITES, *as_json, "--out", place.out]
    refuse(place, capsys, arguments, *words)


def test_a_wrong_positive_value_is_refused(place, capsys):
    table = place.changed("label", lambda _, y: ["MSS", "MSI"][y])
    arguments = ["fit", table, *FIT, "--positive", "msx", "--out", place.out]
    refuse(place, capsys, arguments, "'msx'", "'MSI', 'MSS'")


def test_identifiers_as_scores_are_not_shown(place, capsys):
    swapped = ["--patient", "score", "--score", "patient", "--label", "label"]
    refuse(place, capsys, ["fit", place.table, *swapped, "--out", place.out], "540 are other text.")


def test_a_table_without_a_header_shows_no_patient(place, capsys):
    first, *rest = make_rows()
    table = place.rows(rest, header=first)
    refuse(place, capsys, ["fit", table, *FIT, "--out", place.out], "no column", "first row")


def test_identifiers_as_sites_are_not_shown(place, capsys):
    named = ["--patient", "slide", "--score", "score", "--label", "label", "--site", "patient"]
    arguments = ["fit", place.table, *named, "--internal", "x", "--out", place.out]
    refuse(place, capsys, arguments, "one of the 90 in the table; got x")


def test_identifiers_as_labels_are_not_shown(place, capsys):
    swapped = ["--patient", "other", "--score", "score", "--label", "patient"]
    refuse(place, capsys, ["fit", place.table, *swapped, "--out", place.out], "'patient'")


# Options -----------------------------------------------------------------------------------

OPTIONS = {
    "--delta 0": ["--delta must lie"],
    "--delta 1": ["delta", "between 0 and 1"],
    "--delta -0.1": ["delta"],
    "--delta nan": ["delta"],
    "--delta ten": ["'--delta'", "must be a number; got 'ten'"],
    "--cost-fn -1": ["--cost-fn must", "above 0"],
    "--cost-fp 0": ["--cost-fp must"],
    "--cost-fn inf": ["--cost-fn must"],
    "--cost-fp dear": ["'--cost-fp'", "must be a number; got 'dear'"],
    "--target-prevalence 1.2": ["--target-prevalence must", "got 1.2"],
    "--target-prevalence 0.2,0.1": ["--target-prevalence must go from low to high"],
    "--target-prevalence 0.1,0.2,0.3": ["LOW,HIGH", "'0.1,0.2,0.3'"],
    "--target-prevalence rare": ["--target-prevalence must", "'rare'"],
    "--stratified": ["needs a --target-prevalence"],
    "--rule best": ["--rule must", "stable", "'best'"],
    "--rule sensitivity:": ["rule", "'sensitivity:'"],
    "--rule sensitivity:1.5": ["sensitivity", "1.5"],
    "--aggregate average": ["aggregator", "trimmed-mean:X", "'average'"],
    "--aggregate quantile": ["quantile:Q"],
    "--aggregate quantile:2": ["quantile:Q", "0 to 1"],
    "--aggregate top-k:0": ["top-k:K"],
    "--aggregate mean --aggregate mean": ["aggregator", "twice"],
    "--level slide": ["COLUMN:AGGREGATOR", "'slide'"],
    "--level slide:average": ["'slide:average'"],
    "--level slyde:max": ["no column 'slyde'", "did you mean 'slide'"],
    "--score score": ["'score' twice"],
    "--certify ppv:0.9": ["--certify must name sensitivity or specificity", "'ppv:0.9'"],
    "--certify sensitivity": ["--certify must name", "sensitivity:0.90", "'sensitivity'"],
    "--certify sensitivity:1": ["sensitivity of --certify must lie strictly between 0 and 1"],
    "--certify specificity:high": ["specificity of --certify must lie", "'high'"],
    "--certify sensitivity:0.9,sensitivity:0.8": ["--certify asks for sensitivity twice"],
    "--certify sensitivity:0.9,": ["--certify must name", "'sensitivity:0.9,'"],
    "--bound exact": ["--bound must", "clopper-pearson", "'exact'"],
    "--bound clopper-pearson --cost-fn 2": ["bound", "unequal costs"],
    "--bound hoeffding --honesty uniform": ["bound", "uniform"],
    "--honesty none": ["--honesty must", "split, uniform", "'none'"],
    "--direction up": ["--direction must", "ge, le", "'up'"],
    "--grid 1": ["--grid must"],
    "--grid fine": ["--grid", "'exact'", "'fine'"],
    "--grid 2.5": ["--grid", "'2.5'"],
    "--bootstrap 1": ["--bootstrap must", "at least 2"],
    "--bootstrap few": ["'--bootstrap'", "whole number; got 'few'"],
    "--seed -1": ["--seed must"],
    "--missing ignore": ["--missing must", "refuse, drop", "'ignore'"],
    "--internal north": ["--internal north needs --site"],
    "--site site --internal east": ["'north', 'south'", "got east"],
    "--site site --internal north,east": ["got east"],
    "--site site --internal ,": ["--internal must name at least one site; got ','"],
    "--site hospital": ["no column 'hospital'"],
    "--site site --site label": ["'label' twice"],
    "--fast": ["--fast", "steadycut fit --help"],
    "--cost-fn": ["--cost-fn", "argument"],
}


@pytest.mark.parametrize("text", OPTIONS)
def test_a_bad_option_of_fit_is_refused(place, capsys, text):
    arguments = ["fit", place.table, *FIT, "--out", place.out, *text.split()]
    refuse(place, capsys, arguments, *OPTIONS[text])


NOT_ABOUT_OPTIONS = {"--level slyde:max", "--site hospital"}
NOT_ABOUT_OPTIONS |= {f"--site site --internal {names}" for names in ("east", "north,east")}


@pytest.mark.parametrize("text", sorted(OPTIONS.keys() - NOT_ABOUT_OPTIONS))
def test_an_option_is_refused_before_the_table_is_read(place, capsys, text):
    arguments = ["fit", place.folder / "none.csv", *FIT, "--out", place.out, *text.split()]
    refuse(place, capsys, arguments, *OPTIONS[text])


@pytest.mark.parametrize(
    "text", ["--delta 0", "--bound exact", "--target-prevalence x", "--stratified", "--grid 1"]
)
def test_compare_refuses_an_option_before_the_table_is_read(place, capsys, text):
    sites = ["--site", "site", "--internal", "north", "--external", "south"]
    arguments = ["compare", place.folder / "none.csv", *FIT, *sites, *text.split()]
    refuse(place, capsys, arguments, "--target" if text == "--stratified" else text.split()[0])


@pytest.mark.parametrize("left_out", ["--score", "--label", "--out"])
def test_a_missing_option_of_fit_is_named(place, capsys, left_out):
    given = {"--patient": "patient", "--score": "score", "--label": "label", "--out": place.out}
    del given[left_out]
    arguments = [word for pair in given.items() for word in pair]
    refuse(place, capsys, ["fit", place.table, *arguments], left_out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["Missing command", "steadycut --help"]),
        (["fitt"], ["'fitt'", "Did you mean 'fit'"]),
        (["--colour"], ["--colour"]),
        (["fit"], ["'TABLE'", "steadycut fit --help"]),
        (["apply", "rule.json"], ["'TABLE'"]),
        (["demo", "extra"], ["extra"]),
    ],
)
def test_a_wrong_call_is_refused(place, capsys, arguments, words, monkeypatch):
    monkeypatch.chdir(place.folder)
    refuse(place, capsys, arguments, *words)


# compare -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sites", "words"),
    [
        (["north", "north"], ["60 of them appear at both hospitals"]),
        (["north", "south,north"], ["60 of them appear at both"]),
        (["north", "east"], ["got east"]),
        (["east", "south"], ["got east"]),
    ],
)
def test_sites_that_do_not_fit_are_refused(place, capsys, sites, words):
    named = ["--site", "site", "--internal", sites[0], "--external", sites[1]]
    refuse(place, capsys, ["compare", place.table, *FIT, *named, "--out", place.out], *words)


def test_a_patient_at_two_hospitals_is_refused(place, capsys):
    table = place.changed("patient", lambda i, old: "Zq§same" if i in {0, 504} else old)
    for internal, external in (("north", "south"), ("south", "north")):
        named = ["--site", "site", "--internal", internal, "--external", external]
        arguments = ["compare", table, *FIT, *named, "--out", place.out]
        refuse(place, capsys, arguments, "1 patient is at several in 'site'")


@pytest.mark.parametrize("left_out", ["--site", "--internal", "--external"])
def test_compare_needs_two_sides(place, capsys, left_out):
    given = {"--site": "site", "--internal": "north", "--external": "south"}
    del given[left_out]
    named = [word for pair in given.items() for word in pair]
    refuse(place, capsys, ["compare", place.table, *FIT, *named], f"'{left_out}'")


# Rule files --------------------------------------------------------------------------------


def edited(place):
    text = place.rule.read_text(encoding="utf-8")
    return place.text(text.replace('"direction": "ge"', '"direction": "le"'), "rule.json")


RULES = {
    "edited": (edited, "was changed after it was written"),
    "shortened": (lambda p: p.text(p.rule.read_text()[:-9], "rule.json"), "not valid JSON"),
    "empty": (lambda p: p.text("", "rule.json"), "not valid JSON"),
    "a table": (lambda p: p.table, "not valid JSON"),
    "a study": (lambda p: p.rule.with_name("study.json"), "'steadycut.study/1'"),
    "missing": (lambda p: p.folder / "rule.json", "No such file"),
    "a folder": (lambda p: p.folder, "directory"),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("command", ["apply", "audit"])
def test_a_bad_rule_file_is_refused(place, capsys, name, command):
    make, word = RULES[name]
    out = place.folder / ("out.csv" if command == "apply" else "out")
    refuse(place, capsys, [command, make(place), place.table, "--out", out], word)


@pytest.mark.parametrize("command", ["apply", "audit"])
@pytest.mark.parametrize(
    ("header", "word"),
    [(["site", "id", *HEADER[2:]], "'patient'"), ([*HEADER[:3], "s", *HEADER[4:]], "'score'")],
)
def test_a_table_without_the_rules_columns_is_refused(place, capsys, command, header, word):
    table = place.rows(make_rows(), header)
    out = place.folder / ("out.csv" if command == "apply" else "out")
    refuse(place, capsys, [command, place.rule, table, "--out", out], "no column", word)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--external east", ["got east"]),
        ("--external south --no-site", ["--no-site excludes"]),
        ("--label label --no-label", ["exclude each other"]),
        ("--site site --external east", ["got east"]),
        ("--label diagnosis", ["no column 'diagnosis'"]),
        ("--label site", ["must be 0 or 1"]),
        ("--missing none", ["refuse, drop"]),
    ],
)
def test_a_bad_option_of_audit_is_refused(place, capsys, options, words):
    arguments = ["audit", place.rule, place.table, *options.split(), "--out", place.out]
    refuse(place, capsys, arguments, *words)


# Places to write to ------------------------------------------------------------------------


def command_to(place, command, out):
    sites = ["--site", "site", "--internal", "north", "--external", "south"]
    return {
        "fit": ["fit", place.table, *FIT, "--overwrite", "--out", out],
        "compare": ["compare", place.table, *FIT, *sites, "--out", out],
        "audit": ["audit", place.rule, place.table, "--out", out],
        "demo": ["demo", "--out", out],
        "apply": ["apply", place.rule, place.table, "--out", out],
    }[command]


@pytest.mark.parametrize("command", ["fit", "compare", "audit", "demo"])
@pytest.mark.parametrize("where", ["file", "file/inside"])
def test_a_file_in_the_place_of_a_folder_is_refused(place, capsys, command, where):
    place.text("mine", "file")
    refuse(place, capsys, command_to(place, command, place.folder / where), "Choose another")


@pytest.mark.parametrize("command", ["fit", "audit"])
@pytest.mark.parametrize("where", ["a" * 300, "new/" + "a" * 300])
def test_a_folder_that_cannot_be_made_is_refused(place, capsys, command, where):
    arguments = command_to(place, command, place.folder / where)
    refuse(place, capsys, arguments, "File name too long", "Choose another")


@pytest.mark.parametrize("command", ["fit", "audit"])
def test_a_folder_in_the_place_of_a_file_spares_the_others(place, capsys, command):
    taken = {"fit": "study.json", "audit": "audit.html"}[command]
    (place.out / taken).mkdir(parents=True)
    (place.out / "rule.json").write_bytes(b"old")
    refuse(place, capsys, command_to(place, command, place.out), taken, "Is a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("command", ["fit", "compare", "audit", "demo", "apply"])
def test_a_folder_without_permission_is_refused(place, capsys, command):
    locked = place.folder / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    refuse(place, capsys, command_to(place, command, locked / "out.csv"), "locked")
    locked.chmod(0o700)


def test_a_folder_is_refused_before_any_work(place, capsys, monkeypatch):
    place.text("mine", "file")
    monkeypatch.setattr(steadycut.cli.fit, "read_tables", lambda *_, **__: pytest.fail("read"))
    refuse(place, capsys, command_to(place, "fit", place.folder / "file"), "file")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("out.txt", [".csv or .parquet", "'out.txt'"]),
        ("out", [".csv or .parquet"]),
        ("nowhere/out.csv", ["nowhere", "Make it first"]),
        ("taken.csv", ["taken.csv", "is a folder"]),
        ("a" * 300 + ".csv", ["File name too long"]),
    ],
)
def test_a_bad_file_of_apply_is_refused(place, capsys, name, words):
    (place.folder / "taken.csv").mkdir()
    refuse(place, capsys, command_to(place, "apply", place.folder / name), *words)


# Faults and interruptions ------------------------------------------------------------------


def raiser(error):
    def fails(*_, **__):
        raise error

    return fails


@pytest.mark.parametrize("error", [RuntimeError("two\nlines"), KeyError("x"), ZeroDivisionError()])
def test_a_fault_of_ours_is_one_line_and_exit_1(place, capsys, monkeypatch, error):
    monkeypatch.delenv("STEADYCUT_DEBUG", raising=False)
    monkeypatch.setattr(steadycut.cli.fit, "make_study", raiser(error))
    before = snapshot(place.folder)
    ran = run_command(capsys, *command_to(place, "fit", place.out))
    assert_one_line(ran, 1, before, place.folder)
    assert type(error).__name__ in ran.err
    assert "STEADYCUT_DEBUG=1" in ran.err


def test_a_fault_in_the_report_leaves_nothing(place, capsys, monkeypatch):
    monkeypatch.setattr(steadycut.cli.results, "page_files", raiser(RuntimeError("page")))
    before = snapshot(place.folder)
    ran = run_command(capsys, *command_to(place, "fit", place.out))
    assert_one_line(ran, 1, before, place.folder)


def test_a_fault_can_be_looked_at(place, monkeypatch):
    monkeypatch.setenv("STEADYCUT_DEBUG", "1")
    monkeypatch.setattr(steadycut.cli.fit, "make_study", raiser(RuntimeError("look")))
    with pytest.raises(RuntimeError, match="look"):
        run([str(word) for word in command_to(place, "fit", place.out)])


@pytest.mark.parametrize("step", ["make_study", "read_tables", "page_files", "show_page"])
def test_an_interruption_gives_130_and_leaves_nothing_half_done(place, capsys, monkeypatch, step):
    place_of = steadycut.cli.results if step.endswith(("files", "page")) else steadycut.cli.fit
    monkeypatch.setattr(place_of, step, raiser(KeyboardInterrupt()))
    before = snapshot(place.folder)
    ran = run_command(capsys, *command_to(place, "fit", place.out))
    assert ran.code == 130
    assert ran.out == ""
    assert ran.err.startswith("steadycut: interrupted")
    assert len(ran.err.splitlines()) == 1
    if step != "show_page":
        assert snapshot(place.folder) == before


@pytest.mark.parametrize("old", [{}, {"rule.json": b"old", "mine.txt": b"mine"}])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_failure_while_writing_leaves_what_was_there(place, capsys, monkeypatch, old, error):
    for name, content in old.items():
        place.out.mkdir(exist_ok=True)
        (place.out / name).write_bytes(content)
    real, calls = os.fsync, []

    def fails_later(handle):
        calls.append(handle)
        if len(calls) == 3:
            raise error
        real(handle)

    monkeypatch.setattr(os, "fsync", fails_later)
    before = snapshot(place.folder)
    ran = run_command(capsys, *command_to(place, "fit", place.out))
    assert len(calls) == 3
    assert_one_line(ran, 130 if isinstance(error, KeyboardInterrupt) else 2, before, place.folder)


def start(place, *more, slow_writes=0.0):
    """Start a fit in a process of its own; ``slow_writes`` sleeps after each file."""
    arguments = [str(word) for word in [*command_to(place, "fit", place.out), *more]]
    code = (
        "import os, time\n"
        "real = os.fsync\n"
        f"os.fsync = lambda handle: (real(handle), time.sleep({slow_writes}))\n"
        "from steadycut.cli.main import main\n"
        f"main({arguments!r})\n"
    )
    command = [STEADYCUT[0], "-c", code] if slow_writes else [*STEADYCUT, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(condition, process, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


def parts(folder):
    return list(folder.glob(".steadycut-*.part")) if folder.is_dir() else []


def test_ctrl_c_while_writing_removes_the_folder(place):
    before = snapshot(place.folder)
    with start(place, slow_writes=20.0) as process:
        wait_for(lambda: parts(place.out), process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert err.startswith(b"steadycut: interrupted")
    assert err.count(b"\n") == 1
    assert snapshot(place.folder) == before


def test_a_kill_while_writing_spares_the_old_files(place, capsys):
    """Only a hidden part may stay behind, and it is in nobody's way."""
    assert run_command(capsys, *command_to(place, "fit", place.out)).code == 0
    before = snapshot(place.out)
    with start(place, "--seed", 1, slow_writes=20.0) as process:
        wait_for(lambda: parts(place.out), process)
        process.kill()
        process.communicate(timeout=60)
    after = {name: text for name, text in snapshot(place.out).items() if name in before}
    assert after == before
    assert all(path.name in before or path in parts(place.out) for path in place.out.iterdir())
    assert run_command(capsys, *command_to(place, "fit", place.out)).code == 0
    assert FrozenRule.load(place.out / "rule.json")


@pytest.mark.parametrize("delay", [0.5, 0.9, 1.3])
def test_a_kill_at_any_time_leaves_whole_files_or_none(place, delay):
    with start(place) as process:
        time.sleep(delay)
        process.kill()
        process.communicate(timeout=60)
    found = snapshot(place.out) if place.out.is_dir() else {}
    whole = {name: content for name, content in found.items() if not name.startswith(".")}
    assert set(whole) <= {"rule.json", "study.json", "report.html"}
    if "rule.json" in whole:
        assert FrozenRule.load(place.out / "rule.json")
    if "study.json" in whole:
        assert json.loads(whole["study.json"])
    if "report.html" in whole:
        assert whole["report.html"].rstrip().endswith(b"</html>")


def test_a_closed_pipe_is_no_traceback(place):
    command = [*STEADYCUT, *map(str, command_to(place, "fit", place.out)), "--json"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert done.returncode in {0, 1}
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1  # a warning


# A process of its own ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [["fit", "nowhere.csv", *FIT, "--out", "o"], ["fit", "--fast"], []]
)
def test_a_refusal_in_a_process_of_its_own(tmp_path, arguments):
    done = subprocess.run(
        [*STEADYCUT, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("steadycut: ")
    assert len(done.stderr.splitlines()) == 1
    assert snapshot(tmp_path) == {}


# Help --------------------------------------------------------------------------------------

AS_FIT = (
    "TABLE --patient --score --label --positive --direction --level --aggregate --site --internal "
    "--cost-fn --cost-fp --target-prevalence --stratified --honesty --bound --delta --bootstrap "
    "--grid --seed --missing --out --json"
)


def test_the_help_lists_every_command(capsys):
    ran = run_command(capsys, "--help")
    assert ran.code == 0
    assert ran.err == ""
    assert set(COMMANDS) <= set(Commands.table)
    assert all(f"\n  {command} " in ran.out for command in Commands.table)
    assert "..." not in ran.out.partition("Commands:")[2]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("demo", "--out --json"),
        ("apply", "RULE TABLE --out --missing --json"),
        ("audit", "RULE TABLE --label --site --external --missing --out --json"),
        (
            "fit",
            f"{AS_FIT} --rule",
        ),
        (
            "compare",
            f"{AS_FIT} --external",
        ),
    ],
)
def test_the_help_of_a_command_names_its_options(capsys, command, options):
    ran = run_command(capsys, command, "--help")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith(f"Usage: steadycut {command} ")
    for option in options.split():
        assert f"\n  {option} " in ran.out, option


def test_the_version(capsys):
    ran = run_command(capsys, "--version")
    assert (ran.code, ran.out, ran.err) == (0, f"steadycut {steadycut.__version__}\n", "")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--rule yuden", "youden"),
        ("--aggregate quantil:0.9", "quantile:0.9"),
        ("--level slide:maxx", "slide:max"),
        ("--bound hoefding", "hoeffding"),
        ("--engine duck", "duckdb"),
        ("--missing dorp", "drop"),
        ("--label-how anny", "any"),
        ("--honesty unifrom", "uniform"),
        ("--score scroe", "score"),
        ("--site site --internal nroth", "north"),
    ],
)
def test_a_typing_error_gets_what_was_meant(place, capsys, typed, meant):
    arguments = ["fit", place.table, *FIT, "--out", place.out, *typed.split()]
    ran = run_command(capsys, *arguments)
    assert (ran.code, len(ran.err) < 300) == (2, True)
    assert f"did you mean '{meant}'?" in ran.err.lower()
