"""Write the published JSON Schemas of ``rule.json`` and ``strata.json`` into the package.

Run as ``python scripts/write_schema.py`` after a change of `steadycut.rule_file` or
`steadycut.strata_file`.
"""

import json
from pathlib import Path
from typing import Any

from steadycut import rule_file, strata_file

FOLDER = Path(__file__).resolve().parent.parent / "src/steadycut/schemas"


def schema_text() -> str:
    """Return the schema of ``rule.json`` as it stands in its file."""
    return _text(rule_file.json_schema())


def strata_schema_text() -> str:
    """Return the schema of ``strata.json`` as it stands in its file."""
    return _text(strata_file.json_schema())


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for name, text in (("rule-1.json", schema_text()), ("strata-1.json", strata_schema_text())):
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"Wrote {FOLDER / name}")
