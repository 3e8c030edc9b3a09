"""The MLflow recipe decides as ``apply`` does, without steadycut (``make mlflow`` runs this)."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = REPOSITORY / "tests" / "golden" / "0.1.0"
KINDS = [
    *("rule-ge", "rule-le", "rule-nested", "rule-uniform", "rule-ensemble-quantile"),
    *("strata-ge", "strata-le", "covariate-groups", "covariate-smooth"),
]
# No server and no telemetry; runs are kept in a folder.
SETTINGS = {
    "MLFLOW_TRACKING_URI": "file:mlruns",
    "MLFLOW_ALLOW_FILE_STORE": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}

mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed here; make mlflow runs this")
pd = pytest.importorskip("pandas")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the scripts of the page and the reader; the current one."""
    shutil.copytree(REPOSITORY / "docs" / "mlflow", tmp_path, dirs_exist_ok=True)
    shutil.copy(REPOSITORY / "src" / "steadycut" / "rule_reader.py", tmp_path)
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    mlflow.set_tracking_uri(SETTINGS["MLFLOW_TRACKING_URI"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def log_rule(name):
    """Log a rule as the page says; return the address of the model."""
    shutil.copy(GOLDEN / f"{name}.json", "rule.json")
    command = [sys.executable, "log_rule.py", "rule.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[-1]


def table_for(rule):
    columns = rule["columns"]
    methods = (rule.get("ensemble") or {"methods": [columns]})["methods"]
    numbers = {method["score"] for method in methods}
    table = pd.read_csv(GOLDEN / "instances.csv", dtype=str)
    return table.astype(dict.fromkeys(numbers, float))


@pytest.mark.parametrize("name", KINDS)
def test_the_logged_model_decides_as_apply_did(name, folder):
    model = mlflow.pyfunc.load_model(log_rule(name))
    assert "steadycut" not in sys.modules
    rule = json.loads(Path("rule.json").read_text(encoding="utf-8"))
    found = model.predict(table_for(rule))
    expected = pd.read_csv(GOLDEN / f"{name}.csv", dtype=str)
    assert len(expected) > 20
    for column in expected:
        assert [str(cell) for cell in found[column].tolist()] == expected[column].tolist()


def test_a_changed_rule_and_a_missing_column_are_refused(folder):
    address = log_rule("rule-ge")
    (stored,) = folder.glob("mlruns/**/artifacts/artifacts/rule.json")
    model = mlflow.pyfunc.load_model(address)
    with pytest.raises(mlflow.MlflowException, match="missing inputs"):
        model.predict(pd.DataFrame({"patient": ["a"]}))
    with pytest.raises(Exception, match="finite numbers"):
        model.predict(pd.DataFrame({"patient": ["a", "b"], "score": [0.1, float("nan")]}))
    stored.write_text(stored.read_text().replace('"ge"', '"le"'), encoding="utf-8")
    with pytest.raises(Exception, match="changed after it was written"):
        mlflow.pyfunc.load_model(address)


def test_nothing_that_is_stored_can_run_code_by_being_unpickled(folder):
    log_rule("rule-ge")
    assert list(folder.glob("mlruns/**/rule_model.py"))
    assert [path for path in folder.glob("mlruns/**/*") if path.suffix in {".pkl", ".pickle"}] == []
