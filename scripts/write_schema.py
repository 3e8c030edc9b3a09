"""Write the published JSON Schemas of the frozen files into the package.

Run as ``python scripts/write_schema.py`` after a change of a document, such as that of
`steadycut.documents.rule`.
"""

import json
from pathlib import Path

from steadycut.documents.kinds import SCHEMAS

FOLDER = Path(__file__).resolve().parent.parent / "src/steadycut/documents/schemas"
# steadycut.rule/1 is published as rule-1.json.
KINDS = {
    f"{schema.partition('.')[2].replace('/', '-')}.json": kind for schema, kind in SCHEMAS.items()
}


def schema_text(name: str) -> str:
    """Return a schema as it stands in its file."""
    return json.dumps(KINDS[name].json_schema(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for name in KINDS:
        (FOLDER / name).write_text(schema_text(name), encoding="utf-8")
        print(f"Wrote {FOLDER / name}")
