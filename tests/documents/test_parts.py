"""A part takes every field from what is given or from a record, and never leaves one out."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from pydantic import ValidationError

from steadycut.documents.parts import Floats, Part


@dataclass(frozen=True)
class Measured:
    value: float = 2.0
    unit: str | None = "mm"
    draws: np.ndarray = field(default_factory=lambda: np.array([1.0, 2.0]))


@dataclass(frozen=True)
class Renamed:
    """As above, but somebody has given the unit another name."""

    value: float = 2.0
    units: str | None = "mm"
    draws: np.ndarray = field(default_factory=lambda: np.array([1.0, 2.0]))


class MeasuredPart(Part):
    value: float
    unit: str | None = None
    draws: Floats


class Holder(Part):
    measured: MeasuredPart
    note: str | None = None


def test_fields_are_taken_from_a_record():
    assert MeasuredPart.of(Measured()) == MeasuredPart(value=2, unit="mm", draws=[1, 2])


def test_what_is_given_comes_before_the_records_and_the_first_record_before_the_others():
    part = MeasuredPart.of(Renamed(value=3.0), Measured(), draws=[])
    assert part == MeasuredPart(value=3, unit="mm", draws=[])


def test_a_renamed_attribute_is_refused_although_the_field_has_a_default():
    with pytest.raises(TypeError, match=r"^MeasuredPart.unit is neither given nor .* Renamed\.$"):
        MeasuredPart.of(Renamed())
    assert MeasuredPart.of(Renamed(), unit=None).unit is None


def test_a_renamed_attribute_of_a_record_inside_another_part_is_refused():
    assert Holder.of(measured=Measured(), note=None).measured.unit == "mm"
    for made in (Holder, Holder.of):
        with pytest.raises(TypeError, match=r"MeasuredPart\.unit"):
            made(measured=Renamed(), note=None)


def test_without_a_record_every_field_must_be_given():
    with pytest.raises(TypeError, match=r"Holder\.note is neither given nor an attribute of a rec"):
        Holder.of(measured=Measured())


def test_the_content_of_a_file_may_leave_out_a_field_with_a_default():
    assert Holder.model_validate({"measured": {"value": 2.0, "draws": []}}).measured.unit is None


@pytest.mark.parametrize("content", [None, 3, "text", [1.0], {"value": 1.0, "units": "mm"}])
def test_the_content_of_a_file_is_checked_by_pydantic(content):
    with pytest.raises(ValidationError):
        Holder.model_validate({"measured": content})
