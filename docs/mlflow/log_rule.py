"""Log a frozen rule with MLflow: as a file, and as a model that decides.

Run: python log_rule.py rule.json    (with rule_model.py and rule_reader.py in the same folder)
"""

import sys

import mlflow
import rule_reader
from mlflow.models import ModelSignature
from mlflow.types import ColSpec, Schema

path = sys.argv[1]
rule = rule_reader.load_rule(path)

# Scores are numbers. Identifiers, levels and covariates are text.
methods = (rule.get("ensemble") or {"methods": [rule["columns"]]})["methods"]
scores = {method["score"] for method in methods}
columns = [
    ColSpec("double" if name in scores else "string", name)
    for name in rule_reader.needed_columns(rule)
]

with mlflow.start_run():
    mlflow.log_artifact(path)
    mlflow.log_param("rule_sha256", rule["sha256"])
    model = mlflow.pyfunc.log_model(
        name="rule",
        python_model="rule_model.py",
        artifacts={"rule": path},
        code_paths=["rule_reader.py"],
        pip_requirements=["mlflow-skinny", "pandas"],
        signature=ModelSignature(inputs=Schema(columns)),
    )
print(model.model_uri)
