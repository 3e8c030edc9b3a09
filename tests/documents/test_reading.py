"""A document that lacks something, or has something else in it, is refused in plain words."""

from dataclasses import is_dataclass
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest

from steadycut.documents.parts import NamedClasses, Part, Record
from steadycut.documents.plan import PlanDocument
from steadycut.documents.reading import read_document
from steadycut.errors import BadOption
from steadycut.study.plan import plan


@pytest.fixture(scope="module")
def content():
    return plan(risk=0.1, width=0.1).describe().to_plain()


def changed_row(content, **changes):
    return {**content, "rows": [{**content["rows"][0], **changes}]}


def refusal(content):
    with pytest.raises(BadOption) as refused:
        read_document(PlanDocument, content)
    return str(refused.value)


def test_what_was_written_is_read(content):
    assert read_document(PlanDocument, content).to_plain() == content


@pytest.mark.parametrize("name", ["bound", "n_certify", "vacuous", "most"])
def test_every_field_of_a_record_must_be_there(content, name):
    row = {key: value for key, value in content["rows"][0].items() if key != name}
    assert f"{name} is missing" in refusal({**content, "rows": [row]})


def test_what_does_not_belong_there_is_refused_without_names_of_python(content):
    assert "rows.0: Value error, more does not belong there" in refusal(
        changed_row(content, more=1)
    )
    assert "Input should be a valid dictionary" in refusal({**content, "rows": [1]})
    assert "Input should be a valid integer" in refusal(changed_row(content, n_total="many"))


@pytest.mark.parametrize("lost", ["ill", "healthy"])
def test_a_lost_name_of_a_class_is_not_filled_in(lost):
    names = {"ill": "responder", "healthy": "non-responder"}
    del names[lost]
    with pytest.raises(ValueError, match=f"{lost} is missing"):
        NamedClasses.model_validate({"class_names": names})


def test_every_record_of_core_in_a_document_is_read_as_a_whole():
    parts = list(all_parts(Part))
    bare = [
        f"{part.__name__}.{name}"
        for part in parts
        for name, kind in get_type_hints(part, include_extras=True).items()
        if bare_records(kind)
    ]
    assert len(parts) > 50
    assert not bare


def all_parts(kind):
    for part in kind.__subclasses__():
        yield part
        yield from all_parts(part)


def bare_records(kind):
    """Return the dataclasses in an annotation that are not marked as a record."""
    if get_origin(kind) is Annotated:
        kind, *marks = get_args(kind)
        if marks == list(get_args(Record)[1:]):
            return []
    inner = [record for argument in get_args(kind) for record in bare_records(argument)]
    return [kind, *inner] if is_dataclass(kind) else inner
