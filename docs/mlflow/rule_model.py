"""A frozen rule as an MLflow model: rows of patients in, one decision per patient out.

MLflow runs this file where the model is served. It needs rule_reader.py and pandas, not steadycut.
"""

import mlflow
import pandas as pd
import rule_reader


class RuleModel(mlflow.pyfunc.PythonModel):
    def load_context(self, context):
        self.rule = rule_reader.load_rule(context.artifacts["rule"])

    def predict(self, model_input: pd.DataFrame):
        names = rule_reader.needed_columns(self.rule)
        table = {name: [as_text(cell) for cell in model_input[name].tolist()] for name in names}
        return pd.DataFrame(rule_reader.decide(self.rule, table))


def as_text(cell):
    """Return a cell as a CSV file would have it; a float keeps all its digits."""
    return repr(cell) if isinstance(cell, float) else str(cell)


mlflow.models.set_model(RuleModel())
