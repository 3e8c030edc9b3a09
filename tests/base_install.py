"""What an installed steadycut offers, run as a script: each command works or names its extra.

It runs in any environment: without an extra, or with some. What is not installed must be refused in
one line that names the extra. With ``--block`` every package that is not part of the base install
is hidden, so that the script can run where all are installed.
"""

import csv
import importlib.metadata
import re
import subprocess
import sys
import tempfile
import urllib.request
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

OFFERED = {
    *("steadycut", "numpy", "scipy", "pydantic", "filelock"),
    *("pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"),
}
# What each command needs besides cli; every command must be here.
COLUMNS = "--patient patient --score score --label tumour --bootstrap 20"
COMMANDS = {
    "demo --out demo": (),
    f"fit here.csv {COLUMNS} --out study": (),
    f"fit here.csv {COLUMNS} --engine duckdb --memory 512MiB --out large": (),
    "apply study/rule.json there.csv --out decisions.csv": (),
    "apply study/rule.json there.csv --out decisions.parquet": (),
    "apply study/rule.json there.csv --out ./decisions.parquet": (),
    "audit study/rule.json there.csv --out audit": (),
    "adapt study/rule.json there.csv --prevalence 0.3 --out adapted": (),
    "report study/study.json --out page.html": (),
    f"strata here.csv {COLUMNS} --costs 0,1;1,0 --out strata": (),
    f"compare both.csv {COLUMNS} --site hospital --internal A --external B --out compared": (),
    f"covariate both.csv {COLUMNS} --covariate hospital --out covariate": (),
    "plan --patients 200": (),
    "monitor study/rule.json there.csv --order day --label tumour --out watch": (),
    "switch study/rule.json there.csv --new there.csv --out switched": (),
    "look here.csv": (),
    "rules": (),
    "keygen key": ("sign",),
    "sign study/rule.json --key key": ("sign",),
    "verify study/rule.json --key key.pub": (),
    "app --port -1": ("app",),
    "score-slides slides --model model.onnx --out tiles": ("pathology",),
    "score-ecg records --out segments": ("ecg",),
    f"fit empty.feather {COLUMNS} --out no": ("arrow",),
    f"fit empty.xlsx {COLUMNS} --out no": ("excel",),
    f"fit empty.h5ad {COLUMNS} --out no": ("anndata",),
    f"fit empty.sav {COLUMNS} --out no": ("stats",),
    f"fit here.csv {COLUMNS} --engine spark --out no": ("spark",),
}
# These only show that the packages are there: the command then refuses what it is given.
REFUSED = ("app ", "fit empty", "score-")
HIDING = "--block" in sys.argv
NAMED = re.compile(r'.+ Install it with pip install "steadycut\[(\w+)\]"\.')


class Hidden:
    """A finder that does not find what the base install does not have."""

    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in OFFERED or top in sys.stdlib_module_names or top.startswith("_"):
            return self.finder.find_spec(name, path, target)
        return None


def plain(name):
    """Return the name of a package in one spelling."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def distributions():
    """Return the names of all installed packages."""
    return {plain(one.metadata["Name"]) for one in importlib.metadata.distributions()}


def installed_extras():
    """Return the extras of steadycut of which every package is installed."""
    present, needs = distributions(), {}
    for line in importlib.metadata.requires("steadycut"):
        marker = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        name, inner = re.match(r"([\w.-]+)(?:\[([\w,-]+)\])?", line).groups()
        if marker:
            needs.setdefault(marker[1], []).append((plain(name), inner))

    def is_whole(extra):
        return all(
            all(map(is_whole, inner.split(","))) if name == "steadycut" else name in present
            for name, inner in needs[extra]
        )

    return {extra for extra in needs if is_whole(extra)}


def run_python(folder):
    """Use each part of the Python interface that needs no extra; return the study."""
    import numpy as np

    import steadycut

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    scores = rng.normal(size=200) + 2 * labels
    names = [f"p{i:03}" for i in range(200)]
    table = {"patient": names, "score": scores.tolist(), "label": labels.tolist()}
    cohort = steadycut.aggregate(table, patient="patient", score="score", label="label")
    study = steadycut.fit(cohort, n_bootstrap=50)
    study.to_dict()
    study.summary()
    assert len(repr(study).splitlines()) == 3
    rule = study.freeze(remember_patients=True)
    rule.save(folder / "rule.json")
    assert steadycut.FrozenRule.load(folder / "rule.json") == rule
    assert study.freeze(small_cells=5).threshold == rule.threshold
    rule = study.freeze()
    steadycut.audit(rule, scores + 0.1, labels).to_dict()
    steadycut.monitor(rule, scores + 0.1, labels).to_dict()
    other = steadycut.PatientScores(scores=scores + 0.1, labels=labels)
    steadycut.compare(cohort, other, n_bootstrap=20).to_dict()
    group = np.where(rng.random(200) < 0.5, "a", "b")
    steadycut.fit_by_covariate(cohort, covariate=group, name="group", n_bootstrap=20).freeze()
    steadycut.certify(scores, labels, threshold=1.0)
    assert set(rule.decide({"patient": names, "score": scores.tolist()})["decision"]) == {0, 1}
    return study


def python_calls(folder, study):
    """Return the calls that need an extra, each with the extras."""
    import steadycut
    from steadycut.documents.signature import make_key
    from steadycut.io.parquet import parquet_bytes

    path = folder / "scores.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("patient", "score"), ("a", 1), ("b", 2)])
    columns, half = {"patient": "patient", "score": "score"}, [i // 20 for i in range(40)]
    return {
        "a table": (("duckdb",), lambda: steadycut.aggregate(path, **columns)),
        "a large table": (
            ("duckdb",),
            lambda: steadycut.aggregate(path, **columns, engine="duckdb"),
        ),
        "parquet": (("duckdb",), lambda: parquet_bytes({"a": ["b", None]})),
        "a frame": (("frames",), lambda: _read_frame(columns)),
        "an estimator": (
            ("sklearn",),
            lambda: steadycut.StableThreshold(n_bootstrap=20).fit([[i] for i in range(40)], half),
        ),
        "a classifier": (("sklearn",), lambda: steadycut.StableThresholdClassifier),
        "a figure": (
            ("plot",),
            lambda: steadycut.displays.RiskCurveDisplay.from_study(study).plot(),
        ),
        "plot": (("plot",), study.plot),
        "report": (("report",), lambda: study.report(folder / "page.html")),
        "sign": (("sign",), lambda: make_key(folder / "own")),
    }


def _read_frame(columns):
    import steadycut

    with suppress(ImportError):
        import pandas as pd

        frame = pd.DataFrame({"patient": ["a", "b"], "score": [1, 2]})
        assert steadycut.aggregate(frame, **columns).scores.tolist() == [1, 2]
        return
    try:
        steadycut.aggregate(object(), **columns)
    except steadycut.errors.BadTable as error:
        assert "a dict of arrays or a frame" in str(error)  # noqa: PT017


def check_refused(what, text, needs, extras):
    """Check that one line names an extra that is needed and missing."""
    found = NAMED.fullmatch(text.strip().removeprefix("steadycut: "))
    assert found, (what, text)
    assert found[1] in set(needs) - extras, (what, text)


def check_python(folder, extras):
    """Try the Python interface."""
    import steadycut

    study = run_python(folder)
    for name in sorted(set(steadycut.__all__)):
        needs = ("sklearn",) if name.startswith("StableThreshold") else ()
        with suppress(steadycut.errors.MissingPackage if set(needs) - extras else ()):
            getattr(steadycut, name)
    for what, (needs, call) in python_calls(folder, study).items():
        try:
            call()
        except steadycut.errors.MissingPackage as error:
            check_refused(what, str(error), needs, extras)
        else:
            assert set(needs) <= extras, what
    try:
        study.to_frame()
    except steadycut.errors.MissingPackage as error:
        assert str(error).endswith("pip install pandas."), error  # noqa: PT017
        assert not {"pandas", "polars"} & distributions() or HIDING


def run_command(run, *arguments):
    """Return the exit code and what was printed of one command."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(list(arguments))
    return code, out.getvalue() + err.getvalue()


def run_main(arguments):
    """Run what the installed script runs; return the exit code."""
    from steadycut.__main__ import main

    sys.argv = ["steadycut", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code
    return 0


def check_commands(extras):
    """Try every command."""
    if "cli" not in extras:
        for command in [*COMMANDS, "--version", "--help", ""]:
            code, text = run_command(run_main, *command.split())
            assert (code, text.count("\n")) == (2, 1), (command, code, text)
            check_refused(command, text, ("cli",), extras)
        return
    from steadycut.cli.main import Commands, run

    tried = {command.partition(" ")[0] for command in COMMANDS}
    assert set(Commands.table) == tried
    write_files(extras)
    for command, needs in COMMANDS.items():
        code, text = run_command(run, *command.split())
        if not set(needs) <= extras:
            assert (code, text.count("\n")) == (2, 1), (command, code, text)
            check_refused(command, text, needs, extras)
        # A signature is checked without the extra, but only with it is there a key to check with.
        elif command.startswith(REFUSED if "sign" in extras else (*REFUSED, "verify")):
            assert (code, text.count("\n")) == (2, 1), (command, code, text)
            assert "pip install" not in text, (command, text)
        else:
            assert code == 0, (command, code, text)


def write_files(extras):
    """Write tables of two hospitals, and files that hold nothing."""
    from steadycut.datasets import write_two_hospitals

    write_two_hospitals(Path("both.csv"))
    head, *rows = Path("both.csv").read_text("utf-8").splitlines()
    for name, site in (("here", "A"), ("there", "B")):
        lines = [f"{row},{day}" for day, row in enumerate(rows) if row.startswith(f"{site},")]
        Path(f"{name}.csv").write_text("\n".join([f"{head},day", *lines]), "utf-8")
    keys = () if "sign" in extras else ("key", "key.pub")
    for name in ("empty.feather", "empty.xlsx", "empty.h5ad", "empty.sav", *keys):
        Path(name).touch(0o600)
    for name in ("slides", "records"):
        Path(name).mkdir()


def check_app():
    """Start the app, and ask it for its page; the token of the address becomes a cookie."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    app = [sys.executable, "-m", "steadycut", "app", "--no-browser"]
    with subprocess.Popen(app, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())[0]
            with browser.open(address, timeout=60) as answer:
                assert b"steadycut" in answer.read()
        finally:
            process.terminate()


def check_all():
    """Try everything; stop at the first thing that is not as it must be."""
    warnings.simplefilter("ignore")
    extras = set() if HIDING else installed_extras()
    with tempfile.TemporaryDirectory() as name, chdir(name):
        check_python(Path(name), extras)
        check_commands(extras)
        if "app" in extras:
            check_app()
    print(f"This install does what it offers: {', '.join(sorted(extras)) or 'no extra'}.")  # noqa: T201


if __name__ == "__main__":
    if HIDING:
        sys.meta_path[:] = [Hidden(finder) for finder in sys.meta_path]
    check_all()
