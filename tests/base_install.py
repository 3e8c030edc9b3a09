"""What `pip install steadycut` offers without any extra, run as a script.

With ``--block`` every other package is blocked, so that the script can run where they are
installed. Without it, it runs in an environment that has nothing else.
"""

import csv
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from importlib.abc import MetaPathFinder
from io import StringIO
from pathlib import Path

OFFERED = {
    *("steadycut", "numpy", "scipy", "pydantic", "filelock"),
    *("pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"),
}


class Blocker(MetaPathFinder):
    """Refuse every package that the base install does not have."""

    def find_spec(self, fullname, path=None, target=None):
        top = fullname.partition(".")[0]
        if top in OFFERED or top in sys.stdlib_module_names or top.startswith("_"):
            return
        msg = f"No module named {fullname!r}"
        raise ModuleNotFoundError(msg, name=fullname)


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


def missing_extras(folder, study):
    """Return what is said of each part that needs an extra."""
    import steadycut
    from steadycut.documents.signature import make_key

    path = folder / "scores.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("patient", "score"), ("a", 1), ("b", 2)])
    asks = {
        "duckdb": lambda: steadycut.aggregate(path, patient="patient", score="score"),
        "sklearn": lambda: steadycut.StableThreshold,
        "plot": lambda: steadycut.displays.RiskCurveDisplay.from_study(study).plot(),
        "sign": lambda: make_key(folder / "key"),
    }
    said = {}
    for extra, ask in asks.items():
        try:
            ask()
        except steadycut.errors.MissingPackage as error:
            said[extra] = str(error)
        except Exception as error:  # noqa: BLE001
            said[extra] = repr(error)
    return said


def run_command(*arguments):
    """Return the exit code and what was printed of one command."""
    from steadycut.__main__ import main

    sys.argv = ["steadycut", *arguments]
    out, err = StringIO(), StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        return end.code, out.getvalue() + err.getvalue()
    return None, out.getvalue() + err.getvalue()


def check_all():
    """Try everything; stop at the first thing that is not as it must be."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        study = run_python(Path(name))
        for extra, text in missing_extras(Path(name), study).items():
            assert text.endswith(f'Install it with pip install "steadycut[{extra}]".'), text
    expected = 'steadycut: The command line requires typer. Install it with pip install "steadycut['
    for command in ("demo", "fit x.csv", "apply", "rules", "app", "--version", "--help", ""):
        code, text = run_command(*command.split())
        assert (code, text) == (2, f'{expected}cli]".\n'), (command, code, text)
    print("The base install does what it offers.")  # noqa: T201


if __name__ == "__main__":
    if "--block" in sys.argv:
        sys.meta_path.insert(0, Blocker())
    check_all()
