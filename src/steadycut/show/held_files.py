"""The files that a page holds and hands out, to the byte as the commands wrote them."""

import json
from collections.abc import Mapping
from typing import Any

from steadycut.documents.canonical_json import frozen_bytes
from steadycut.show.page import File


def held_files(content: Mapping[str, Any], name: str) -> tuple[File, ...]:
    """Return the content itself as the file ``name``, and the frozen rule if it is in there."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    files = [File(key="content", name=name, meaning="every number of this page", text=text)]
    rule = content.get("frozen_rule")
    if rule is not None:
        meaning = "the frozen rule: versions, seed, fingerprint of the data, to take along"
        text = frozen_bytes(rule).decode()
        files.append(File(key="rule", name="rule.json", meaning=meaning, text=text))
    return tuple(files)
