"""Every pydantic reads a document in the same way: no union leaves it a choice.

Older versions turn ``false`` into 0.0 in a union of float and bool. The bytes then differ, and the
file is said to have been changed.
"""

import types
from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, FiniteFloat

import steadycut.documents
from steadycut.documents.parts import Part

for found in iter_modules(steadycut.documents.__path__, "steadycut.documents."):
    import_module(found.name)

# The JSON values that a type takes, also where pydantic has to convert them.
TAKES = {bool: {"number", "boolean"}, int: {"number", "boolean"}, float: {"number", "boolean"}}


def members(hint):
    """The members of a union, without annotations; the type itself if it is none."""
    if get_origin(hint) is Annotated:
        return members(get_args(hint)[0])
    if get_origin(hint) in {Union, types.UnionType}:
        return [one for part in get_args(hint) for one in members(part)]
    return [hint]


def kinds(hint):
    """The kinds of JSON value that a type can be read from."""
    if hint is type(None):
        return {"null"}
    if get_origin(hint) is Literal:
        return {type(value).__name__ for value in get_args(hint)}
    plain = get_origin(hint) or hint
    if plain in {list, tuple, set}:
        return {"array"}
    if plain is dict or (isinstance(plain, type) and issubclass(plain, BaseModel)):
        return {"object"}
    return TAKES.get(plain, {getattr(plain, "__name__", "any")})


def unions(hint):
    """Every union inside of a type, as the list of its members."""
    parts = members(hint)
    found = [parts] if len(parts) > 1 else []
    inner = [arg for part in parts for arg in get_args(part) if get_origin(part) is not Literal]
    return found + [union for arg in inner for union in unions(arg)]


def unclear(model):
    """The fields of a model with a union of which two members take one JSON value."""
    return [
        name
        for name, field in model.model_fields.items()
        for union in unions(field.annotation)
        if sum(len(kinds(one)) for one in union) > len(set().union(*map(kinds, union)))
    ]


def all_parts(model=Part):
    """Every part of every document."""
    yield model
    for child in model.__subclasses__():
        yield from all_parts(child)


class Lax(BaseModel):
    option: FiniteFloat | bool | str
    options: dict[str, int | float]
    fine: float | str | None


def test_such_a_union_is_found():
    assert unclear(Lax) == ["option", "options"]


@pytest.mark.parametrize("model", sorted(set(all_parts()), key=lambda one: one.__qualname__))
def test_no_union_leaves_a_choice(model):
    assert unclear(model) == []
    assert all(one.annotation is not Any for one in model.model_fields.values())
