"""Write the published JSON Schema of ``rule.json`` into the package.

Run as ``python scripts/write_schema.py`` after a change of `steadycut.rule_file`.
"""

import json
from pathlib import Path

from steadycut.rule_file import json_schema

SCHEMA_FILE = Path(__file__).resolve().parent.parent / "src/steadycut/schemas/rule-1.json"


def schema_text() -> str:
    """Return the schema as it stands in the file."""
    return json.dumps(json_schema(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    print(f"Wrote {SCHEMA_FILE}")
