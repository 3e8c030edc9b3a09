"""Cells of tables: what stands in them, and what a plain reading makes of it.

A meaning of None says that the cell must be refused.
"""

import re
import unicodedata

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
LARGEST = 1e300
MARKS = {"na", "n/a", "#n/a", "nan", "<na>", "null", "none"}
LABELS = (
    *("0", "0.0", " 0", "-0", "0e5", "false", "False", "FALSE", "00"),
    *("1", "1.0", "1 ", "+1", "1e0", "true", "True", "TRUE", "01"),
    *("", "2", "yes", "no", "NA", "nan", "2020-01-01", "1,0", "0x1", "1_0", "-1"),
)
SCORES = (
    *("0", "-0.0", "1", "+5", ".5", "5.", "1e5", "1E-5", " 3 ", "\t5", "5e-324", "1e-400", "007"),
    *("0.1", "0.30000000000000004", "9007199254740993", "123456789012345678901234567890", "1e300"),
    *("", " ", "NA", "nan", "NaN", "null", "None", "inf", "-inf", "Infinity", "1e400", "1e301"),
    *("1,5", "1.234,5", "1,234.5", "1 234", "1'234", "5%", "$5", "5 EUR", "1_0", "1e5_0", "0x10"),
    *("0b1", "1L", "5f", "true", "FALSE", "1/2", "1:30", "(5)", "--5", "1e", "e5", "1..5", "1.5.2"),
    *(
        "\u0663",
        "\uff15",
        "\u22125",
        "\u221e",
        "\u00bd",
        "\u00b2",
        "5\u00a0",
        "\u200b5",
        "<0.1",
        ">5",
        "~5",
        "ca. 5",
        "1e1e1",
    ),
    *(
        "2020-01-01",
        "nan(1)",
        "-nan",
        "'5'",
        '"5"',
        "=1+1",
        "#REF!",
        "1;5",
        "0,5\t",
        "5\x00",
        "\x7f",
    ),
)
IDENTIFIERS = (
    *(
        "a",
        "A",
        " a",
        "a ",
        "a b",
        "ab",
        "é",
        "e\u0301",
        "7",
        "07",
        "007",
        "7.0",
        "7.",
        "1e1",
        "10",
    ),
    *("9007199254740992", "9007199254740993", "18446744073709551616", "18446744073709551617"),
    *("", " ", "NA", "nan", "None", "null", "N/A", "<NA>", "#N/A", "-", "?", "True", "true"),
    *("x" * 300, 'quo"te', "com,ma", "semi;colon", "ta\tb", "pi|pe", "new\nline", "re\rturn"),
    *("'; drop table t; --", "=cmd()", "\ufeff", "a\u200b", "a\x1fb", "a\x00", "\\N", "日本", "🙂"),
    *("ß", "ss", "SS", "\u0131", "I", "\u212a", "K", "2020-01-01", "0x10", "-1", "+1", "1_0"),
)


def score_of(text):
    """Return the number that a text is, None for anything that is not plainly one."""
    if not NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if abs(number) <= LARGEST else None


def label_of(text):
    """Return 0 or 1; None for what is neither."""
    word = text.strip().casefold()
    number = {"true": 1.0, "false": 0.0}.get(word, score_of(word))
    return int(number) if number in {0.0, 1.0} else None


def is_identifier(text):
    """Whether a text names a patient."""
    # Characters of these categories are not seen: controls, formats, separators, none at all.
    hidden = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    seen = "".join(one for one in text if unicodedata.category(one) not in hidden)
    # Of blanks only the plain one is printable.
    plain = "".join(one for one in seen if one == " " or unicodedata.category(one) != "Zs").strip()
    return bool(plain) and plain.casefold() not in MARKS and "\0" not in text


def may_be_refused(text):
    """Whether a text has signs on which formats differ: line ends and other controls."""
    return any(ord(sign) < 32 or sign in "\x7f\x85\u2028\u2029" for sign in text)
