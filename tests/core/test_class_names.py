"""Which words texts use for patients of the two classes."""

import pytest

from steadycut.core.class_names import DEFAULT, ClassNames, of_them


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ("responder", "non-responder"),
        ("case", "control"),
        ("MSI", "MSS"),
        ("malade", "sain"),
        ("krank", "gesund"),
        ("病", "正常"),
        ("grade 3", "grade 1/2"),
        (" ill ", "well"),
    ],
)
def test_names_of_classes_are_used(positive, negative):
    names = ClassNames.of(positive, negative)
    assert (names.ill, names.healthy) == (positive.strip(), negative.strip())
    assert names.given


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (None, None),
        ("MSI", None),
        (None, "MSS"),
        ("1", "0"),
        ("1.0", "0.0"),
        ("YES", "No"),
        ("true", "FALSE"),
        ("Pos", "neg"),
        ("positive", "negative"),
        ("y", "n"),
        ("+", "-"),
        ("MSI", "msi"),
        ("", "MSS"),
        ("x" * 31, "MSS"),
        ("<script>", "MSS"),
        ("=cmd()", "MSS"),
        ("@SUM(A1)", "MSS"),
        ("MSI\nMSS", "MSS"),
        ("MSI\t", "M\tS"),
        ('say "x"', "MSS"),
        ("ill", "healthy & co"),
        ("ill", "healthy"),
    ],
)
def test_anything_else_is_ill_and_healthy(positive, negative):
    """Yes and no, numbers, long texts, and what a page or a spreadsheet could take for code."""
    assert ClassNames.of(positive, negative) == DEFAULT
    assert not DEFAULT.given


def test_words_for_persons_have_a_plural_and_others_stand_before_patients():
    names = ClassNames.of("Responder", "Non-Responder")
    assert (names.ill_patients, names.healthy_patients) == ("Responders", "Non-Responders")
    assert (names.healthy_ones, of_them(names.ill)) == ("Non-Responders", "Responders")
    names = ClassNames.of("MSI", "MSS")
    assert (names.ill_patients, names.healthy_ones) == ("MSI patients", "MSS ones")
    assert of_them(names.ill) == "MSI"
    assert ClassNames.of("nonresponder", "case").ill_patients == "nonresponders"
