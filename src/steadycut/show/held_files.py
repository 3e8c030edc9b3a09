"""The files that a page holds and hands out, to the byte as the commands wrote them."""

from steadycut.documents.canonical_json import frozen_bytes, json_text
from steadycut.documents.frozen import FrozenDocument
from steadycut.documents.kinds import file_name_of
from steadycut.documents.parts import Part
from steadycut.show.page import File


def held_files(document: Part, name: str, rule: FrozenDocument | None = None) -> tuple[File, ...]:
    """Return the document itself as the file ``name``, and the frozen rule if there is one."""
    text = json_text(document.to_plain())
    files = [File(key="content", name=name, meaning="every number of this page", text=text)]
    if rule is not None:
        meaning = "the frozen rule: versions, seed, fingerprint of the data, to take along"
        text = frozen_bytes(rule.to_plain()).decode()
        files.append(File(key="rule", name=file_name_of(rule), meaning=meaning, text=text))
    return tuple(files)
