"""Write the published JSON Schemas of the frozen files, and what the reader checks of them.

Run as ``python scripts/write_schema.py`` after a change of a document, such as that of
`steadycut.documents.rule`. The schemas are written into the package, and as `FORMS` into
``rule_reader.py``.
"""

import json
import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steadycut import _kinds, rule_reader
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.kinds import class_of
from steadycut.documents.parts import LARGEST_COUNT

FOLDER = Path(__file__).resolve().parent.parent / "src/steadycut/documents/schemas"
READER = Path(rule_reader.__file__)
# steadycut.rule/1 is published as rule-1.json.
KINDS = {
    f"{kind.schema.partition('.')[2].replace('/', '-')}.json": class_of(kind.rule)
    for kind in _kinds.KINDS
}
FORMS = re.compile(
    r'(?<=\nFORMS: Rule = json\.loads\(\n    r""").*?(?=""",\n    strict=False)', re.DOTALL
)
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
TYPES |= {"null": "NoneType"}


def _escaped(text: str) -> str:
    return re.escape(text).replace("\\ ", "\\x20")


# Names for forms that occur often.
SHORT = {
    "CutOff": "End|float",
    "Count": f"int/0/{LARGEST_COUNT}",
    "Hash": "'[0-9a-f]{64}'",
    "Share": "float/5e-324/0.9999999999999999",
}
SHORT["End"] = f"'{'|'.join(map(_escaped, rule_reader.ENDS))}'"


def json_schema(kind: type[FrozenFile[Any]]) -> dict[str, object]:
    """Return the JSON Schema of the files of a kind."""
    schema = kind._model.model_json_schema(by_alias=True)  # noqa: SLF001
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = kind.schema
    schema["properties"]["sha256"] = {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
        "description": "SHA-256 of the canonical JSON of everything else",
    }
    schema["required"] = [*schema["required"], "sha256"]
    return schema


def schema_text(name: str) -> str:
    """Return a schema as it stands in its file."""
    return json.dumps(json_schema(KINDS[name]), indent=1, sort_keys=True) + "\n"


def reader_text() -> str:
    """Return the file of the reader with the forms of all fields in it."""
    forms: dict[str, Any] = {"Range": ["float", 2, 2], **SHORT}
    for name in KINDS:
        schema = json.loads(schema_text(name))
        for part, content in {schema["title"]: schema, **schema["$defs"]}.items():
            form = _grouped({_key(content, key): _form(field) for key, field in _fields(content)})
            if forms.setdefault(part, form) != form:
                msg = f"two kinds of frozen files have another part of the name {part}"
                raise ValueError(msg)
    uses = Counter(name for form in forms.values() for name in _names(form))
    single = {name: form for name, form in forms.items() if uses[name] == 1}
    several = {name: _inlined(form, single) for name, form in forms.items() if name not in single}
    text = json.dumps(several, sort_keys=True, separators=(", ", ":"))
    # The first line begins behind eight characters.
    wrapper = textwrap.TextWrapper(
        100, initial_indent=" " * 8, break_long_words=False, break_on_hyphens=False
    )
    joined = "\n".join(wrapper.wrap(text))[8:]
    return FORMS.sub(lambda _: joined, READER.read_text(encoding="utf-8"))


def _names(form: Any) -> Iterator[str]:  # noqa: ANN401
    """Yield the names of the forms in a form; a form among several gets two, so that it stays."""
    if isinstance(form, str):
        names = form.split("|")
        yield from names * min(len(names), 2)
    else:
        for part in form.values() if isinstance(form, dict) else form[:1]:
            yield from _names(part)


def _inlined(form: Any, single: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return a form with each part that is named once in the place of its name."""
    if isinstance(form, str):
        return _inlined(single[form], single) if form in single else form
    if isinstance(form, dict):
        return {name: _inlined(part, single) for name, part in form.items()}
    return [_inlined(form[0], single), *form[1:]]


def _grouped(forms: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a part with those of one form together, as in ``{"a b": "float"}``."""
    same: dict[str, list[str]] = {}
    for name, form in sorted(forms.items()):
        same.setdefault(json.dumps(form), []).append(name)
    return {" ".join(names): json.loads(form) for form, names in same.items()}


def _fields(part: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return list(part["properties"].items())


def _key(part: dict[str, Any], name: str) -> str:
    return name if name in part["required"] else f"{name}?"


def _form(field: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the form of a field, in the words of `steadycut.rule_reader.FORMS`."""
    if "anyOf" in field:
        # A field with a default is left out where it is null.
        several = [_form(one) for one in field["anyOf"]]
        if "default" in field:
            several.remove("NoneType")
        return _short(several[0] if len(several) == 1 else "|".join(sorted(several)))
    if "prefixItems" in field:
        return "Range"
    if "items" in field:
        low, high = field.get("minItems", 0), field.get("maxItems")
        more = [low, high] if high else [low] if low else []
        return [_form(field["items"]), *more]
    if "additionalProperties" in field:
        return {"*": _form(field["additionalProperties"])}
    return field["$ref"].rpartition("/")[2] if "$ref" in field else _plain_form(field)


def _plain_form(field: dict[str, Any]) -> str:
    texts = field.get("enum", [field["const"]] if "const" in field else [])
    pattern = field.get("pattern", "").strip("^$") or "|".join(map(_escaped, texts))
    form = f"'{pattern}'" if pattern else TYPES[field["type"]] + _limits(field)
    return _short(form)


def _short(form: Any) -> Any:  # noqa: ANN401
    return next((name for name, long in SHORT.items() if long == form), form)


def _limits(field: dict[str, Any]) -> str:
    """Return the smallest and the largest value that are allowed, if there are limits."""
    low, high = field.get("minimum", -math.inf), field.get("maximum", math.inf)
    whole = field["type"] == "integer"
    if "exclusiveMinimum" in field:
        above = field["exclusiveMinimum"]
        low = above + 1 if whole else math.nextafter(above, math.inf)
    if "exclusiveMaximum" in field:
        below = field["exclusiveMaximum"]
        high = below - 1 if whole else math.nextafter(below, -math.inf)
    return "" if (low, high) == (-math.inf, math.inf) else f"/{low}/{high}"


if __name__ == "__main__":
    for name in KINDS:
        (FOLDER / name).write_text(schema_text(name), encoding="utf-8")
        print(f"Wrote {FOLDER / name}")
    READER.write_text(reader_text(), encoding="utf-8")
    print(f"Wrote {READER}")
