"""Write the published JSON Schemas of the frozen files into the package.

Run as ``python scripts/write_schema.py`` after a change of a document, such as that of
`steadycut.documents.rule`.
"""

import json
from pathlib import Path
from typing import Any

from steadycut import CovariateRule, FrozenRule, StrataRule
from steadycut.documents.frozen import FrozenFile

FOLDER = Path(__file__).resolve().parent.parent / "src/steadycut/documents/schemas"
KINDS: dict[str, type[FrozenFile[Any]]] = {
    "rule-1.json": FrozenRule,
    "strata-1.json": StrataRule,
    "covariate-1.json": CovariateRule,
}


def schema_text(name: str) -> str:
    """Return a schema as it stands in its file."""
    return json.dumps(KINDS[name].json_schema(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for name in KINDS:
        (FOLDER / name).write_text(schema_text(name), encoding="utf-8")
        print(f"Wrote {FOLDER / name}")
