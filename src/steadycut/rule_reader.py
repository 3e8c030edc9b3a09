"""Apply a frozen steadycut file where only Python is installed.

This file needs Python 3.8 or later and nothing else, not even steadycut. Copy it to the machine,
next to the rule, and run

    python rule_reader.py rule.json instances.csv --out decisions.csv

It takes a rule.json, a strata.json or a covariate.json, checks that nobody changed it, aggregates
the instances of every patient and decides. Scores, decisions and flip probabilities are the same
as those of ``steadycut apply`` to the last bit, and so is the file that it writes. If it cannot be
sure how to read something, it refuses in one line, with exit code 2. With ``--strict`` it ends
with exit code 4 if a score is outside the range that the rule knows; the file is written. With
``--verify PUBLIC_KEY`` it uses the rule only if the file RULE.sig says that this key signed it.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import io
import json
import math
import os
import re
import secrets
import stat
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LARGEST_FILE = 64000000
MOST_LINKS = 40
PART = re.compile(r"\.steadycut-[0-9a-f]{16}\.part")
LARGEST_SCORE = 1e300
LARGEST_COST = 1e100
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
# A whole number that is written as a float: the group "1.0" is the group "1".
WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]{0,14}))\.0+")
NO_SCORE = ("", "na", "n/a", "nan", "null", "none", "inf", "-inf", "infinity", "-infinity")
# Texts that mean "missing" in identifiers, levels and labels; steadycut takes them from here.
MARKS = ("", "na", "n/a", "#n/a", "nan", "<na>", "null")
BLANKS = " \t\n\r\x0b\x0c"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Stands for the column of patients where each row is one patient.
ROW = "(row number)"
# The exit code with --strict, as that of steadycut apply.
WARNED = 4
# If at least this many patients have one row each, that is not by chance.
SURE = 10
# Checks that refuse a table; steadycut uses the same names if they are forced.
AGGREGATION, LEVEL = "aggregation", "missing level"

Rule = Dict[str, Any]
Table = Dict[str, List[str]]
Columns = Dict[str, List[Any]]

# What each field of each part of a file may hold; scripts/write_schema.py writes this. A field with
# "?" may be missing. A form is the name of a part or of a type (with the smallest and the largest
# value), several of them, a quoted pattern, a list of a form (with its least and largest length),
# or the fields of a part, those of one form together; "*" stands for any name.
FORMS: Rule = json.loads(
    r"""{"AdaptedPart":{"attempt?":"int/1/9007199254740992", "choosing labelled pool":"Count", "menu
parent plan?":"Hash", "prevalence":"NoneType|Range", "sequential":"bool"},
"AllPatientsPart":{"n_negative n_positive":"Count", "quantiles_negative
quantiles_positive":["float"]}, "BetweenPart":{"high low":"float/0/1", "level":"Share", "n_patients
patients":"Count"}, "BinsPart":{"edges":["float"], "negative positive":["Count"]},
"BoundaryPart":{"above below":"str", "alarm miss":"RatePart", "alarm_costs
miss_costs":{"*":"float"}, "delta":"Share", "probability":"NoneType|float", "threshold":"float"},
"CertificatePart":{"bound":"str", "delta":"Share", "generalization":"float",
"honesty":"'split|uniform|menu'", "n_candidates":"int/1/inf", "n_patients":"Count", "risk
trivial_risk value":"float/0/inf", "vacuous":"bool"},
"CertifiedRatePart":{"answer":"'yes|no|cannot\\x20tell'", "asked":"Share", "lower
upper":"float/0/1", "n_patients right":"Count", "observed":"NoneType|float",
"rate":"'sensitivity|specificity|npv|ppv'"}, "Columns":{"event? negative? patient score
time?":"str", "horizon?":"float/5e-324/inf", "label positive site":"NoneType|str",
"label_how?":"'any'", "levels":["str"]}, "CostsPart":{"cost_fn cost_fp":"float/5e-324/inf"},
"Count":"int/0/9007199254740992", "CountsPart":{"fn fp tn tp":"Count"}, "CutPart":{"at":"float|str",
"certificate":"CertificatePart|NoneType", "own_threshold rank threshold":"float",
"weight":"float/0/1"}, "DifferencePart":{"delta risk standard_error upper":"float"},
"EnoughPart":{"df":"int", "n_patients":"Count", "p_value statistic":"float"},
"EnsemblePart":{"kind":"'quantile|gls'", "methods":["MethodPart", 2]}, "Hash":"'[0-9a-f]{64}'",
"InstancesPart":{"largest smallest":"Count", "median":"float"}, "MethodPart":{"aggregation":["Step",
1], "reference":["float", 1, 2001], "score":"str", "score_range":"Range", "weight":"int/0/10000"},
"PooledPart":{"certificate":"CertificatePart", "draws":["float"], "rank threshold":"float"},
"Provenance":{"data_sha256":"str", "options":"RuleOptions", "patients":"RoleCounts", "seed":"int",
"sites":["str"], "versions":{"*":"str"}}, "ProvenancePart":{"data_sha256 rule":"str",
"patients":"RoleCounts", "seed":"int", "versions":{"*":"str"}}, "Range":["float", 2, 2],
"RatePart":{"errors n_patients":"Count", "limit":"float", "rate":"NoneType|float"},
"Reference":{"bins":"BinsPart", "fn fp tn tp":"Count",
"instances_per_patient":"InstancesPart|NoneType", "quantiles_negative
quantiles_positive":["float"]}, "Remembered":{"hashes":["str"], "key_check? salt":"Hash",
"scheme":"'hmac\\-sha256|pbkdf2\\-sha256'"}, "RoleCounts":{"certify certify_positive
certify_unknown? positive select select_positive test? test_positive? total unknown?":"Count"},
"RuleOptions":{"bound ensemble honesty selector stratify":"str", "certify_size delta delta_boot?
test_size?":"float", "grid":"int|str", "n_bootstrap small_cells?":"int", "stratified":"bool"},
"ScalePart":{"ranks":["int", 2], "thresholds":["float"]}, "Share":"float/5e-324/0.9999999999999999",
"StabilityPart":{"band centering form refit?":"str", "bias flip_rate modulus penalty quantile
radius":"float", "n_bootstrap":"int", "warnings":["str"]}, "Step":{"how level":"str"},
"StrataOptionsPart":{"bound":"str", "certify_size delta":"float", "grid":"int|str", "n_bootstrap
seed":"int"}, "StrataProvenance":{"data_sha256":"str", "options":"StrataOptionsPart",
"patients":"StrataRoles", "versions":{"*":"str"}}, "StrataRoles":{"certify select":["Count"],
"total":"Count"}, "StrataStability":{"bias radius":["float"], "flip_rate jump_rate local_modulus
modulus objective penalty quantile smallest_risk":"float", "n_bootstrap":"int", "warnings":["str"]},
"StudyRatePart":{"answer":"'yes|no|cannot\\x20tell'", "asked":"Share", "lower upper":"float/0/1",
"n_patients right":"Count", "observed":"NoneType|float", "patients_needed?":"int",
"rate":"'sensitivity|specificity|npv|ppv'", "rate_needed?":"float"},
"steadycut.covariate/1":{"aggregation":["Step", 1], "certificate":"CertificatePart",
"columns":"Columns", "costs":"CostsPart", "covariate":"str", "covariate_range":"NoneType|Range",
"cuts":["CutPart", 1], "difference":"DifferencePart", "direction":"'ge|le'", "draws":[["float"], 1],
"instances_per_patient? units_per_patient?":"InstancesPart", "kind":"'groups|smooth'",
"pooled":"PooledPart", "provenance":"ProvenancePart", "reference?":"CountsPart",
"scale":"ScalePart", "schema":"'steadycut\\.covariate/1'", "score_range":"Range", "sha256":"Hash",
"test":"EnoughPart"}, "steadycut.rule/1":{"adapted?":"AdaptedPart", "aggregation":["Step", 1],
"all_patients?":"AllPatientsPart", "bootstrap_thresholds":["float", 1],
"certificate":"CertificatePart", "certified_rates?":["CertifiedRatePart"], "columns":"Columns",
"costs":"CostsPart", "direction":"'ge|le'", "ensemble":"EnsemblePart|NoneType",
"operating_value":"NoneType|float", "provenance":"Provenance", "reference":"Reference",
"remembered_patients?":"Remembered", "rule":"str", "schema":"'steadycut\\.rule/1'",
"score_range":"Range", "sha256":"Hash", "stability":"StabilityPart",
"target_prevalence":"NoneType|Range", "threshold":"float", "units_per_patient?":"InstancesPart"},
"steadycut.strata/1":{"aggregation":["Step", 1], "between?":"BetweenPart",
"bootstrap_thresholds":[["float"], 1], "boundaries":["BoundaryPart"],
"certificate":"CertificatePart", "columns":"Columns", "costs":[["float"]], "counts":[["Count"]],
"direction":"'ge|le'", "grades strata":["str", 2], "instances_per_patient":"InstancesPart|NoneType",
"operating_values":["NoneType|float"], "provenance":"StrataProvenance", "rule":"str",
"schema":"'steadycut\\.strata/1'", "score_range usual_range":"Range", "sha256":"Hash",
"sides?":["StudyRatePart", 2, 2], "stability":"StrataStability", "thresholds":["float", 1],
"units_per_patient?":"InstancesPart"}}""",
    strict=False,
)


class Refused(Exception):  # noqa: N818 (part of the public names)
    """Something cannot be done; the text says why, in one line."""


# The rule ----------------------------------------------------------------------------------


def load_rule(path: str, key: str | None = None) -> Rule:
    """Return the content of a frozen file; refuse it if it was changed or has unknown fields.

    With ``key``, the file of a public key, refuse it too if this key did not sign these bytes.
    """
    written = _read_bytes(path, "rule file")
    if key is not None:
        check_signature(written, path, key)
    rule = _parse(written, path)
    if not _is_whole(rule, written):
        raise Refused(f"{path} was changed after it was written; use the original file.")
    if not _fits(rule, rule["schema"]) or not fits_together(rule):
        raise Refused(f"{path} is not a rule of schema {rule['schema']}.")
    return rule


def _read_bytes(path: str, what: str) -> bytes:
    try:
        with open_plain(path) as file:
            return bytes(file.read(LARGEST_FILE + 1))
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read the {what} {path}: {_why(error)}.") from None


def _parse(written: bytes, path: str) -> Rule:
    if len(written) > LARGEST_FILE:
        raise Refused(f"{path} is not a rule file: it is too large.")
    try:
        rule = json.loads(written.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused(f"{path} is not a rule file: it is not valid JSON.") from None
    schema = rule.get("schema") if isinstance(rule, dict) else None
    if schema not in list(KINDS):
        raise Refused(
            f"{path} has the schema {str(schema)[:80]!r}; this reader reads {', '.join(KINDS)}. If "
            "a newer steadycut made the file, use the reader of that version."
        )
    return dict(rule)


def _canonical(content: Rule, **layout: Any) -> bytes:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False, **layout)
    return text.encode("utf-8")


def _is_whole(rule: Rule, written: bytes) -> bool:
    """Whether a file has its canonical bytes, and the hash in it is that of the rest."""
    rest = {name: value for name, value in rule.items() if name != "sha256"}
    try:
        found = hashlib.sha256(_canonical(rest, separators=(",", ":"))).hexdigest()
        return found == rule.get("sha256") and _canonical(rule, indent=1) + b"\n" == written
    except (ValueError, RecursionError):
        return False


def _fits(value: Any, form: Any) -> bool:
    """Whether a value has a form of `FORMS`; refuse a field that is not known."""
    if isinstance(form, list):
        low, high = form[1:] + [0, LARGEST_FILE][len(form) - 1 :]
        whole = isinstance(value, list) and low <= len(value) <= high
        return whole and all(_fits(one, form[0]) for one in value)
    if isinstance(form, dict):
        return isinstance(value, dict) and _fields_fit(value, form)
    if form.startswith("'"):
        return isinstance(value, str) and re.fullmatch(form[1:-1], value) is not None
    if "|" in form:
        return any(_fits(value, one) for one in form.split("|"))
    if form in FORMS:
        return _fits(value, FORMS[form]) and (form != "Range" or value[0] <= value[1])
    kind, *limits = form.split("/")
    fits = type(value).__name__ == kind
    return fits and (not limits or float(limits[0]) <= value <= float(limits[1]))


def _fields_fit(part: Rule, form: Rule) -> bool:
    form = {name: one for names, one in form.items() for name in names.split()}
    needed = {name for name in form if name != "*" and not name.endswith("?")}
    forms = {name: form.get(name, form.get(name + "?", form.get("*"))) for name in part}
    unknown = [name for name, one in forms.items() if one is None]
    if unknown:
        # It could change decisions.
        raise Refused(
            f"the rule has the field {min(unknown)[:80]!r}, which this reader does not know: a "
            "newer steadycut made it. Use the reader of that version."
        )
    return needed <= set(part) and all(_fits(part[name], forms[name]) for name in part)


def fits_together(rule: Rule) -> bool:
    """Whether fields of the right form fit each other; steadycut asks this too."""
    try:
        _check_content(rule)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return False
    return True


def _check_content(rule: Rule) -> None:
    _check(all(needed_columns(rule)))
    for _, steps in _methods(rule):
        for _, how in steps:
            parse_aggregator(how)
    for usual in (_usual_rows(rule), rule.get("units_per_patient")):
        _check(usual is None or usual["smallest"] <= usual["median"] <= usual["largest"])
    for part in (rule.get("reference"), rule.get("all_patients")):
        if part and "quantiles_positive" in part:
            lists = [part["quantiles_positive"], part["quantiles_negative"]]
            _check({len(one) for one in lists} <= {0, 101} and any(lists))
            _check(lists == [sorted(one) for one in lists])
    # A kind that only steadycut knows has no further checks here.
    if rule["schema"] in KINDS:
        KINDS[rule["schema"]][0](rule)


def _check_single(rule: Rule) -> None:
    methods = [] if rule["ensemble"] is None else rule["ensemble"]["methods"]
    for one in methods:
        _check(len(one["reference"]) == len(methods[0]["reference"]))
        _check(one["reference"] == sorted(one["reference"]))
        _check(one["aggregation"][:-1] == methods[0]["aggregation"][:-1])
    _check(not methods or any(one["weight"] for one in methods))


def _check_strata(rule: Rule) -> None:
    _check(all(rule["strata"]))
    for row in [rule["thresholds"], *rule["bootstrap_thresholds"]]:
        oriented = [_sign(rule) * value for value in row]
        _check(len(row) == len(rule["strata"]) - 1 and oriented == sorted(oriented))
    sides = [one["rate"] for one in rule.get("sides", [])]
    _check(("sides" in rule) == ("between" in rule))
    if sides:
        _check(len(rule["strata"]) == 3 and len(rule["grades"]) == 2)
        _check(sides[0] in ("sensitivity", "npv") and sides[1] in ("specificity", "ppv"))
    costs = rule["costs"]
    _check([len(row) for row in costs] == [len(rule["strata"])] * len(rule["grades"]))
    _check(all(0 <= cost <= LARGEST_COST for row in costs for cost in row))
    for low, high in zip(zip(*costs), list(zip(*costs))[1:]):
        # At each boundary the grades that pay more above it come before those that pay more below.
        signs = [a > b for a, b in zip(low, high) if a != b]
        _check(len(set(signs)) == 2 and signs == sorted(signs))


def _check_covariate(rule: Rule) -> None:
    scale, draws, cuts = rule["scale"], rule["draws"], rule["cuts"]
    _check(scale["ranks"] == sorted(set(scale["ranks"])))
    _check(len(scale["thresholds"]) == len(scale["ranks"]))
    _check(len(draws) == len(rule["pooled"]["draws"]))
    _check(all(len(draw) == len(cuts) for draw in draws))
    _check((rule["covariate_range"] is None) == (rule["kind"] == "groups"))
    places = [cut["at"] for cut in cuts]
    _check({type(place) for place in places} == {str if rule["kind"] == "groups" else float})
    _check(all(places) if rule["kind"] == "groups" else places == sorted(places))


def _check(holds: object) -> None:
    if not holds:
        raise ValueError


def _sign(rule: Rule) -> float:
    return {"ge": 1.0, "le": -1.0}[rule["direction"]]


def _usual_rows(rule: Rule) -> Any:
    """Return how many rows the patients of the study had, if that is known."""
    return rule.get("reference", rule).get("instances_per_patient")


def _methods(rule: Rule) -> List[Tuple[str, List[Tuple[str, str]]]]:
    """Return the column of each score, and its steps as (level, aggregator)."""
    several = [(rule["columns"]["score"], rule["aggregation"])]
    if rule.get("ensemble") is not None:
        several = [(one["score"], one["aggregation"]) for one in rule["ensemble"]["methods"]]
    return [(score, [(step["level"], step["how"]) for step in steps]) for score, steps in several]


def _levels(rule: Rule) -> List[str]:
    """Return the levels between rows and patients; all methods have the same ones."""
    return [level for level, _ in _methods(rule)[0][1][:-1]]


def _without(rule: Rule, lacking: List[str]) -> Rule:
    """Return a rule without the steps of some levels."""

    def kept(part: Rule) -> Rule:
        *steps, last = part["aggregation"]
        steps = [one for one in steps if one["level"] not in lacking]
        return {**part, "aggregation": [*steps, last]}

    left = kept(rule)
    if left.get("ensemble") is not None:
        methods = [kept(one) for one in left["ensemble"]["methods"]]
        left["ensemble"] = {**left["ensemble"], "methods": methods}
    return left


# The signature, as in RFC 8032 (Ed25519); only checked here, so nothing in it is secret ------

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
# What comes before the 32 bytes of a public key (SubjectPublicKeyInfo in DER).
PUBLIC_START = bytes.fromhex("302a300506032b6570032100")
PEM = re.compile(rb"-----BEGIN PUBLIC KEY-----\s+(\S+)\s+-----END PUBLIC KEY-----\s*")
Point = Tuple[int, int, int, int]


def check_signature(written: bytes, path: str, key: str) -> None:
    """Refuse bytes that the owner of a public key did not sign; the signature is in ``path``.sig.

    The files are those of ``steadycut keygen`` and ``steadycut sign``.
    """
    der = public_key(_read_bytes(key, "key"))
    if not der:
        raise Refused(
            f"{key} is not an Ed25519 public key in PEM. Give the file that ends in .pub."
        )
    beside = f"{path}.sig"
    content = signature_of(_read_bytes(beside, "signature"))
    if content is None:
        raise Refused(f"{beside} is not a signature, or was changed. Use the original.")
    if content["key"] != hashlib.sha256(der).hexdigest():
        raise Refused(f"{path} was signed with another key than {key}.")
    same = content["sha256"] == hashlib.sha256(written).hexdigest()
    if not same or not is_signed(der[-32:], decoded(content["signature"].encode()), written):
        raise Refused(f"the signature does not fit {path}: one of them was changed after it.")


def public_key(pem: bytes) -> bytes:
    """Return an Ed25519 public key in DER; nothing if it is none, or one that protects nothing."""
    found = PEM.fullmatch(pem)
    der = decoded(found[1] if found else b"")
    whole = der.startswith(PUBLIC_START) and len(der) == len(PUBLIC_START) + 32
    return der if whole and not is_weak(der[-32:]) else b""


def decoded(text: bytes) -> bytes:
    """Return the bytes that base64 text stands for; none if it is not written in the one way."""
    try:
        found = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return found if base64.b64encode(found) == text else b""


def signature_of(written: bytes) -> Rule | None:
    """Return what a signature file says; None for any other byte than steadycut writes."""
    try:
        found = json.loads(written.decode("utf-8"))
        _check(sorted(found) == ["algorithm", "key", "schema", "sha256", "signature"])
        _check(all(isinstance(value, str) for value in found.values()))
        _check((found["schema"], found["algorithm"]) == ("steadycut.signature/1", "Ed25519"))
        _check(_canonical(found, indent=1) + b"\n" == written)
        return dict(found)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether an Ed25519 signature of 64 bytes is that of a message by a key of 32 bytes."""
    point = _point(public)
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or is_weak(public) or len(signature) != 64 or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    x, y, z, t = _times(int.from_bytes(digest, "little") % ORDER, point)
    x, y, z, _ = _sum(_times(scalar, BASE), (-x, y, z, -t))
    inverse = pow(z, PRIME - 2, PRIME)
    x, y = x * inverse % PRIME, y * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def is_weak(public: bytes) -> bool:
    """Whether a key is one of the few points for which anybody can make signatures."""
    point = _point(public)
    return point is not None and _times(8, point)[0] == 0


def _point(packed: bytes) -> Point | None:
    """Return a point from its 32 bytes, in extended coordinates; None if it is not on the curve."""
    number = int.from_bytes(packed, "little")
    y, odd = number % 2**255 % PRIME, number >> 255
    ratio = (y * y - 1) * pow(CURVE * y * y + 1, PRIME - 2, PRIME) % PRIME
    x = pow(ratio, (PRIME + 3) // 8, PRIME)
    if (x * x - ratio) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if (x * x - ratio) % PRIME or len(packed) != 32:
        return None
    x = PRIME - x if x & 1 != odd else x
    return x, y, 1, x * y % PRIME


def _sum(one: Point, two: Point) -> Point:
    a = (one[1] - one[0]) * (two[1] - two[0]) % PRIME
    b = (one[1] + one[0]) * (two[1] + two[0]) % PRIME
    c = 2 * one[3] * two[3] * CURVE % PRIME
    d = 2 * one[2] * two[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _times(count: int, point: Point) -> Point:
    found: Point = (0, 1, 1, 0)
    for bit in f"{count:b}":
        found = _sum(found, found)
        found = _sum(found, point) if bit == "1" else found
    return found


# The point with y = 4/5 and an even x.
BASE: Any = _point((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little"))


# The table ---------------------------------------------------------------------------------


def read_table(path: str, rule: Rule, *, force: bool = False) -> Table:
    """Return the columns of a CSV or TSV file that a rule needs; every cell is a text.

    With ``force`` the columns of levels may be missing.
    """
    if not path.lower().endswith((".csv", ".tsv")):
        raise Refused(f"a table must end in .csv or .tsv; got {path!r}. Convert it first.")
    try:
        with open_plain(path) as file:
            text = file.read().decode("utf-8-sig")
        spared = set(_levels(rule)) - {rule.get("covariate")} if force else set()
        needed = [name for name in needed_columns(rule) if name != ROW]
        table = _columns(text, path, needed, spared)
    except UnicodeDecodeError:
        raise Refused(f"{path} is not UTF-8 text. Save it as UTF-8.") from None
    except (OSError, ValueError, csv.Error) as error:
        raise Refused(f"{path} cannot be read: {_why(error)}.") from None
    if rule["columns"]["patient"] == ROW:
        n_rows = len(table[needed[0]])
        table[ROW] = [f"{row:0{len(str(n_rows))}}" for row in range(1, n_rows + 1)]
    return table


def needed_columns(rule: Rule) -> List[str]:
    """Return the columns that a rule needs, each once."""
    names = [rule["columns"]["patient"]]
    for score, steps in _methods(rule):
        names += [score, *(level for level, _ in steps[:-1])]
    if "covariate" in rule:
        names.append(rule["covariate"])
    return list(dict.fromkeys(names))


def _columns(text: str, path: str, needed: List[str], spared: Set[str]) -> Table:
    ends = {"\r\n" if "\r\n" in text else "\n", *re.findall("\r\n|\r|\n", text)}
    if "\0" in text or len(ends) > 1:
        raise Refused(
            f"{path} has NUL characters, or lines that end in different ways. Save it again."
        )
    header, delimiter = _header(text, "\t" if path.lower().endswith(".tsv") else ",;\t|")
    needed = [name for name in needed if name in header or name not in spared]
    for name in needed:
        if header.count(name) != 1:
            found = "no column" if name not in header else "more than one column"
            raise Refused(f"{path} has {found} {name!r}; each column must be there once.")
    if len(set(filter(None, header))) < len(list(filter(None, header))):
        raise Refused(f"{path} has two columns of one name. Rename or remove the copies.")
    if re.search(f'(^|[\\r\\n{delimiter}]) +"', text):
        _check_blanks(text, path, delimiter)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    next(rows)
    places = {name: header.index(name) for name in needed}
    table: Table = {name: [] for name in needed}
    for row in rows:
        if row and (len(row) < len(header) or any(row[len(header) :])):
            raise Refused(
                f"{path} has a row of {len(row)} cells where the first line names {len(header)} "
                "columns. Fix the file."
            )
        for name, place in places.items() if row else ():
            table[name].append(row[place])
    if not table[needed[0]]:
        raise Refused(f"{path} has no rows; at least one instance of one patient is needed.")
    return table


def _check_blanks(text: str, path: str, delimiter: str) -> None:
    """Refuse a blank before a quote: some readers take the quote for a part of the cell."""
    plain, skipping = (
        csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=skip)
        for skip in (False, True)
    )
    for row, other in zip(plain, skipping):
        if any(a != b and a.lstrip(" ")[:1] == '"' for a, b in zip(row, other)):
            raise Refused(f"{path} has a blank before a quote. Remove such blanks.")


def _header(text: str, delimiters: str) -> Tuple[List[str], str]:
    """Return the names of the columns; the separator is the one that gives the most names."""
    found: List[Tuple[List[str], str]] = []
    for delimiter in delimiters:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            found.append((next(rows, []), delimiter))
        except csv.Error:  # text after a closed quote: another separator fits
            found.append(([], delimiter))
    return max(found, key=lambda one: len(one[0]))


def is_missing_mark(text: str, *, patient: bool = False) -> bool:
    """Whether a text stands for a missing value, whatever blanks and invisible characters it has.

    ``patient`` says that it is in the place of a patient; elsewhere "none" may be a name.
    """
    plain = "".join(filter(str.isprintable, text)).strip().lower()
    return plain in MARKS or (patient and plain == "none")


def _check_filled(table: Table, name: str, patient: str) -> None:
    gaps = sum(is_missing_mark(text, patient=name == patient) for text in table[name])
    if gaps:
        raise Refused(
            f"column {name!r} must be filled in every row; {gaps} of {len(table[name])} rows have "
            "no value there. Fill these in, or remove the rows."
        )


def _numbers(table: Table, name: str) -> List[float]:
    texts = [text.strip(BLANKS) for text in table[name]]
    bad = [text for text in texts if not NUMBER.fullmatch(text)]
    missing = sum(text.lower() in NO_SCORE for text in bad)
    if len(bad) > missing:
        raise Refused(
            f"{name!r} must hold numbers with a decimal point; {len(bad) - missing} of "
            f"{len(texts)} are other text. Fix them."
        )
    numbers = [float(text) for text in texts if not missing]
    missing += sum(not math.isfinite(number) for number in numbers)
    if missing:
        raise Refused(
            f"{name!r} must hold finite numbers; {missing} of {len(texts)} are missing, NaN or "
            "infinite. Fix these rows, or remove them."
        )
    if max(map(abs, numbers)) > LARGEST_SCORE:
        raise Refused(f"{name!r} must not exceed {LARGEST_SCORE:g} in absolute value. Rescale.")
    return numbers


# Aggregators of the scores of a group, in ascending order ----------------------------------

Scores = List[float]


def _mean(scores: Scores) -> float:
    return math.fsum(scores) / len(scores)


def _median(scores: Scores) -> float:
    return (scores[(len(scores) - 1) // 2] + scores[len(scores) // 2]) / 2


def _quantile(scores: Scores, level: float) -> float:
    last = len(scores) - 1
    position = last * level
    below = math.floor(position)
    low, high, weight = scores[below], scores[min(below + 1, last)], position - below
    gap = high - low
    return low + gap * weight if weight < 0.5 else high - gap * (1 - weight)


def _fraction_above(scores: Scores, cut: float) -> float:
    return (len(scores) - bisect_right(scores, cut)) / len(scores)


def _noisy_or(scores: Scores) -> float:
    if scores[0] < 0 or scores[-1] > 1:
        raise Refused("noisy-or needs scores from 0 to 1. Turn the scores into probabilities.")
    if scores[-1] == 1:
        return 1.0
    return -math.expm1(math.fsum(math.log1p(-one) for one in scores)) + 0.0


def _trimmed_mean(scores: Scores, share: float) -> float:
    cut = int(share * len(scores))
    return _mean(scores[cut : len(scores) - cut])


# The function of each aggregator, how its number is read (None: it has none), what is allowed.
AGGREGATORS: Dict[str, Tuple[Callable[..., float], Any, Callable[[Any], bool]]] = {
    "mean": (_mean, None, bool),
    "median": (_median, None, bool),
    "max": (lambda scores: scores[-1], None, bool),
    "min": (lambda scores: scores[0], None, bool),
    "quantile": (_quantile, float, lambda level: 0 <= level <= 1),
    "top-k": (lambda scores, k: _mean(scores[-k:]), int, lambda k: k >= 1),
    "fraction-above": (_fraction_above, float, math.isfinite),
    "noisy-or": (_noisy_or, None, bool),
    "trimmed-mean": (_trimmed_mean, float, lambda share: 0 <= share < 0.5),
}


def parse_aggregator(how: str) -> Callable[[Scores], float]:
    """Return the function that ``how`` names; it takes scores in any order."""
    name, _, number = how.partition(":")
    function, read, allows = AGGREGATORS[name]
    values = [] if read is None else [read(number)]
    _check(all(map(allows, values)) and (values or how == name))
    return lambda scores: function(sorted(scores), *values)


def patient_scores(
    table: Table, patient: str, score: str, steps: Sequence[Tuple[str, str]]
) -> Dict[str, float]:
    """Return one score per patient: rows are aggregated to the innermost level, then outwards."""
    levels = [level for level, _ in reversed(steps[:-1])]
    groups: Dict[Tuple[str, ...], Scores] = {}
    keys = zip(table[patient], *(table[level] for level in levels))
    for key, number in zip(keys, _numbers(table, score)):
        # Adding 0.0 turns negative zero into zero.
        groups.setdefault(key, []).append(number + 0.0)
    for _, how in steps:
        aggregate = parse_aggregator(how)
        outer: Dict[Tuple[str, ...], Scores] = {}
        for key, scores in groups.items():
            outer.setdefault(key[:-1] or key, []).append(aggregate(scores) + 0.0)
        groups = outer
    return {key[0]: scores[0] for key, scores in groups.items()}


# Decisions ---------------------------------------------------------------------------------


def decide(rule: Rule, table: Table, unseen: str = "refuse", *, force: bool = False) -> Columns:
    """Return the columns of ``decisions.csv``, one entry per patient, sorted by name.

    The column ``forced`` is added if anything would have been refused without ``force``.
    """
    patient = rule["columns"]["patient"]
    _check_roles(rule)
    lacking = [level for level in _levels(rule) if level not in table]
    rule = _without(rule, lacking)
    for name in needed_columns(rule):
        if name not in [score for score, _ in _methods(rule)]:
            _check_filled(table, name, patient)
    several = [patient_scores(table, patient, *method) for method in _methods(rule)]
    unlike = _unlike(rule, table, count_units=not lacking)
    if unlike and not force:
        raise Refused(" ".join(unlike.values()))
    forced = [LEVEL for _ in lacking] + list(unlike)
    names = sorted(several[0])
    scores = [_combined(rule, [one[name] for one in several]) for name in names]
    covariate = _covariate_of(rule, table, names) if "covariate" in rule else []
    decided = KINDS[rule["schema"]][1](rule, scores, covariate, unseen)
    by_patient = [[one[name] for one in several] for name in names]
    said: Columns = {
        "outside_range": [_outside(rule, *one) for one in zip(scores, by_patient)],
        "rule_sha256": [rule["sha256"]] * len(names),
    }
    if forced:
        said["forced"] = ["; ".join(forced)] * len(names)
    return {"patient": names, "score": scores, **decided, **said}


def _outside(rule: Rule, score: float, methods: Scores) -> int:
    """Return 1 if a score, or that of a method of an ensemble, is outside the known range."""
    ranges, scores = [rule["score_range"]], [score]
    if rule.get("ensemble") is not None:
        ranges += [one["score_range"] for one in rule["ensemble"]["methods"]]
        scores += methods
    return int(any(not low <= one <= high for (low, high), one in zip(ranges, scores)))


def _check_roles(rule: Rule) -> None:
    first, levels = rule["columns"]["patient"], _levels(rule)
    scores = dict.fromkeys(score for score, _ in _methods(rule))
    twice = [name for name, count in Counter([first, *levels, *scores]).items() if count > 1]
    twice += [name for name in [first, *scores] if name == rule.get("covariate")]
    if twice:
        raise Refused(f"the rule uses the column {twice[0]!r} in two roles.")


def _unlike(rule: Rule, table: Table, *, count_units: bool) -> Dict[str, str]:
    """Return why the table does not look like that of the study, by the name of the check.

    Either the rows seem to be aggregated already, or the units of a level are not told apart. The
    second is looked at only if the first is not the case.
    """
    patient, usual = rule["columns"]["patient"], _usual_rows(rule)
    rows = Counter(table[patient])
    if usual is not None and _all_single(rows, usual):
        return {AGGREGATION: _single_text(usual, "rows")}
    if usual is not None and usual["largest"] == 1 and _median(sorted(rows.values())) > 1:
        several = "patients have several rows; those of the rule had one. Use --force."
        return {AGGREGATION: several}
    levels, usual = _levels(rule), rule.get("units_per_patient")
    leaves = set(zip(table[patient], *(table[level] for level in levels)))
    units = Counter(leaf[0] for leaf in leaves)
    if levels and count_units and usual is not None and _all_single(units, usual):
        return {LEVEL: _single_text(usual, "units")}
    return {}


def _all_single(here: Dict[str, int], usual: Dict[str, float]) -> bool:
    many = usual["smallest"] > 1 or (usual["median"] > 1 and len(here) >= SURE)
    return many and max(here.values()) == 1


def _single_text(usual: Dict[str, float], what: str) -> str:
    return (
        f"every patient has one of the {what}; those of the rule had {usual['smallest']} to "
        f"{usual['largest']}. Give the table of instances, or use --force."
    )


def _combined(rule: Rule, scores: Scores) -> float:
    """Return the score of a patient; for an ensemble the weighted mean rank, from 0 to 1."""
    if rule.get("ensemble") is None:
        return scores[0]
    methods, total = rule["ensemble"]["methods"], 0
    for method, score in zip(methods, scores):
        ranks = bisect_left(method["reference"], score) + bisect_right(method["reference"], score)
        total += method["weight"] * ranks
    weight = sum(method["weight"] for method in methods)
    return total / (2 * len(methods[0]["reference"]) * weight)


def _decide_single(rule: Rule, scores: Scores, *_: object) -> Columns:
    draws = [[draw] for draw in rule["bootstrap_thresholds"]]
    found = _decide_between(rule, scores, "decision", [rule["threshold"]], draws, [0, 1])
    return {**found, "threshold": [rule["threshold"]] * len(scores)}


def _decide_strata(rule: Rule, scores: Scores, *_: object) -> Columns:
    thresholds, draws = rule["thresholds"], rule["bootstrap_thresholds"]
    found = _decide_between(rule, scores, "stratum", thresholds, draws, rule["strata"])
    return {**found, "thresholds": ["; ".join(map(repr, thresholds))] * len(scores)}


def _decide_between(
    rule: Rule, scores: Scores, column: str, thresholds: Scores, draws: Any, names: List[Any]
) -> Columns:
    """Name how many thresholds each score reaches, and return the share of draws that differ."""
    sign, n = _sign(rule), len(draws)
    cuts = [sign * threshold for threshold in thresholds]
    columns = [sorted(sign * value for value in values) for values in zip(*draws)]
    decided, flips = [], []
    for score in scores:
        place = bisect_right(cuts, sign * score)
        reached = [n, *(bisect_right(one, sign * score) for one in columns), 0]
        decided.append(names[place])
        flips.append((n - reached[place] + reached[place + 1]) / n)
    return {column: decided, "flip_probability": flips}


def _decide_covariate(rule: Rule, scores: Scores, covariate: List[str], unseen: str) -> Columns:
    places = _places(rule, covariate, unseen)
    sign, decisions, flips, own_cuts = _sign(rule), [], [], []
    own = [*(cut["rank"] for cut in rule["cuts"]), rule["pooled"]["rank"]]
    draws = [[*draw, one] for draw, one in zip(rule["draws"], rule["pooled"]["draws"])]
    for score, place in zip(scores, places):
        cuts = [_threshold(rule, _rank(rule, ranks, place)) for ranks in (own, *draws)]
        called, *others = [int(sign * score >= sign * cut) for cut in cuts]
        decisions.append(called)
        own_cuts.append(cuts[0] + 0.0)
        flips.append(sum(other != called for other in others) / len(draws))
    return {"decision": decisions, "flip_probability": flips, "threshold": own_cuts}


def _covariate_of(rule: Rule, table: Table, names: List[str]) -> List[str]:
    found: Dict[str, str] = {}
    for name, value in zip(table[rule["columns"]["patient"]], table[rule["covariate"]]):
        if found.setdefault(name, value) != value:
            raise Refused(f"in {rule['covariate']!r} some patients have several values. Fix them.")
    return [found[name] for name in names]


def _places(rule: Rule, covariate: List[str], unseen: str) -> List[Any]:
    """Return the position of each patient's group among the cuts, or the number itself."""
    if rule["kind"] == "smooth":
        return _numbers({rule["covariate"]: covariate}, rule["covariate"])
    names = [cut["at"] for cut in rule["cuts"]]
    exact = {name: place for place, name in enumerate(names)}
    groups = {**{_plain(name): place for name, place in exact.items()}, **exact}
    texts = [text.strip() for text in covariate]
    places = [groups.get(text, groups.get(_plain(text), len(names))) for text in texts]
    strange = places.count(len(names))
    if strange and unseen == "refuse":
        raise Refused(
            f"{strange} of {len(places)} patients are of a group of {rule['covariate']!r} that the "
            "rule has not seen. Remove them, or use the pooled cut-off: --unseen pooled."
        )
    return places


def _plain(text: str) -> str:
    whole = WHOLE.fullmatch(text)
    return str(int(whole[1])) if whole else text


def _rank(rule: Rule, ranks: Scores, place: Any) -> float:
    """Return the rank of a cut: that of a group, or interpolated between two anchors."""
    if rule["kind"] == "groups":
        return ranks[place]
    anchors = [cut["at"] for cut in rule["cuts"]]
    left = bisect_right(anchors, place) - 1
    if left < 0 or left == len(anchors) - 1 or anchors[left] == place:
        return ranks[max(left, 0)]
    slope = (ranks[left + 1] - ranks[left]) / (anchors[left + 1] - anchors[left])
    return slope * (place - anchors[left]) + ranks[left]


def _threshold(rule: Rule, rank: float) -> float:
    """Return the threshold of the cut nearest to a rank; the lower one if two are as near."""
    ranks = rule["scale"]["ranks"]
    above = min(max(bisect_left(ranks, rank), 1), len(ranks) - 1)
    lower = rank - ranks[above - 1] <= ranks[above] - rank
    return rule["scale"]["thresholds"][above - 1 if lower else above]


# How each kind is checked, and how it decides from scores, covariate and ``unseen``.
KINDS: Dict[str, Tuple[Callable[[Rule], None], Callable[..., Columns]]] = {
    "steadycut.rule/1": (_check_single, _decide_single),
    "steadycut.strata/1": (_check_strata, _decide_strata),
    "steadycut.covariate/1": (_check_covariate, _decide_covariate),
}


# The file that is written; steadycut uses these functions too -------------------------------


def to_csv(columns: Columns) -> bytes:
    """Return columns as CSV; a spreadsheet does not run any cell as a formula."""
    lines: List[str] = []
    # With this line end a cell that holds a carriage return is quoted, so it cannot start a row.
    table = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    table.writerows(map(safe_cell, row) for row in [list(columns), *zip(*columns.values())])
    return "".join(line[:-2] + "\n" for line in lines).encode("utf-8")


def safe_cell(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers are unchanged.

    A text gets an apostrophe in front if it begins like a formula, also behind apostrophes, so
    that no two texts become one.
    """
    runs = isinstance(cell, str) and cell.lstrip("'").startswith(FORMULA)
    return "'" + cell if runs and not NUMBER.fullmatch(cell) else cell


def write_file(path: str, content: bytes) -> None:
    """Write a file whole or not at all; a link stays, and so do the permissions of an old file.

    Unfinished files of killed runs beside it are removed: nobody has a lock on them any more.
    """
    made = ""
    try:
        place = link_target(path)
        check_plain(place)
        folder = os.path.dirname(place)
        _remove_abandoned(folder or ".")
        part = os.path.join(folder, f".steadycut-{secrets.token_hex(8)}.part")
        made = part + ".new"
        with open(made, "xb") as file:
            if _lock(file):
                os.rename(made, part)
                made = part
            if os.path.exists(place):
                take_permissions(place, file.fileno())
            file.write(content)
            file.flush()
            if fcntl is None:  # Windows cannot move an open file
                file.close()
            os.replace(made, place)
    except (OSError, ValueError) as error:
        raise Refused(f"cannot write {path}: {_why(error)}. Choose another place.") from None
    finally:
        if os.path.exists(made):
            os.unlink(made)


def link_target(path: Any) -> str:
    """Return the file that links lead to; refuse links that others have put into a shared folder.

    The system protects shared folders in this way too, but only where a link is opened.
    """
    place = os.fspath(path)
    for _ in range(MOST_LINKS):
        if not os.path.islink(place):
            return str(place)
        folder = os.path.dirname(place)
        link, around = os.lstat(place), os.stat(folder or ".")
        shared = around.st_mode & stat.S_ISVTX and around.st_mode & stat.S_IWOTH
        if shared and not is_own(link) and link.st_uid != around.st_uid:
            raise OSError(None, "It is a link of somebody else")
        place = os.path.join(folder, os.readlink(place))
    raise OSError(None, "Too many links")


def is_own(state: os.stat_result) -> bool:
    """Whether a file belongs to this user."""
    return not hasattr(os, "geteuid") or state.st_uid == os.geteuid()


def take_permissions(path: Any, part: int) -> None:
    """Give an open file the mode, owner, group and access list of the file that it will replace.

    Nobody may read the new file who may not read the old one: if the group cannot be kept, the
    group of the new file gets no rights. A new file has the permissions of the user's umask.
    """
    if not os.access(path, os.W_OK):
        raise PermissionError(None, "It is read-only")
    if not hasattr(os, "fchown"):  # pragma: no cover - Windows
        return
    old = os.stat(path)
    mode = stat.S_IMODE(old.st_mode)
    os.fchmod(part, mode & stat.S_IRWXU)
    with suppress(OSError):
        os.fchown(part, old.st_uid, -1)
    try:
        os.fchown(part, -1, old.st_gid)
        for name in os.listxattr(path) if hasattr(os, "listxattr") else ():
            if name.startswith("system.posix_acl"):
                os.setxattr(part, name, os.getxattr(path, name))
    except OSError:
        mode &= ~stat.S_IRWXG
    os.fchmod(part, mode)


def open_plain(path: Any, mode: str = "rb", *, follow: bool = True) -> Any:
    """Open a regular file, or raise an OSError with the reason; never wait for a pipe.

    With a mode that writes it may be new. With ``follow=False`` it may not be a link: links in
    folders that others may write to can lead anywhere.
    """
    quick = getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))

    def opener(name: str, flags: int) -> int:
        check_plain(name)  # to open a device may already do something
        opened = os.open(name, flags | quick, 0o666)
        try:
            _check_state(os.fstat(opened))
        except OSError:
            os.close(opened)
            raise
        return opened

    return open(path, mode, opener=opener)


def check_plain(path: Any) -> None:
    """Refuse what is not a plain file; the root user would replace /dev/null by a file."""
    if os.path.exists(path):
        _check_state(os.stat(path))


def _check_state(state: os.stat_result) -> None:
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(None, "Is a directory")
    if not stat.S_ISREG(state.st_mode):
        raise OSError(None, "It is a pipe or a device")


def rule_of_decisions(path: Any) -> Any:
    """Return the hash of the rule in the first row of a CSV file of decisions, if it has one."""
    with open_plain(path) as file:
        text = file.read(1000000).decode("utf-8", "replace")
    return (next(csv.DictReader(io.StringIO(text, newline="")), None) or {}).get("rule_sha256")


def _remove_abandoned(folder: str) -> None:
    for name in os.listdir(folder):
        if PART.fullmatch(name):
            left = os.path.join(folder, name)
            with suppress(OSError), open_plain(left, follow=False) as file:
                if _lock(file):
                    os.unlink(left)


def _lock(file: Any) -> bool:
    """Whether a file could be locked until it is closed; False where there are no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):
        return False
    return True


def _why(error: Exception) -> str:
    return " ".join(str(getattr(error, "strerror", None) or error).split())


# The command -------------------------------------------------------------------------------


SWITCH = {"action": "store_true"}
ARGUMENTS: Dict[str, Tuple[str, Dict[str, Any]]] = {
    "rule": ("rule.json, strata.json or covariate.json", {"metavar": "RULE"}),
    "table": ("CSV or TSV file, one row per instance", {"metavar": "TABLE"}),
    "--out": ("CSV file to write", {"required": True, "metavar": "FILE"}),
    "--unseen": (
        "patients of a group that a covariate.json has not seen",
        {"choices": ("refuse", "pooled"), "default": "refuse"},
    ),
    "--force": ("decide though rows seem aggregated already or a level is missing", SWITCH),
    "--strict": (f"end with exit code {WARNED} if a score is outside the rule's range", SWITCH),
    "--overwrite": ("replace a file that holds other things than this rule's decisions", SWITCH),
    "--verify": ("use the rule only if RULE.sig is of this key", {"metavar": "PUBLIC_KEY"}),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, 2 with one line on stderr, or 4 (strict)."""
    parser = argparse.ArgumentParser(
        prog="rule_reader", description="Apply a frozen steadycut file; only Python is needed."
    )
    for name, (text, how) in ARGUMENTS.items():
        parser.add_argument(name, help=text, **how)
    given = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        switches = {"force": given.force, "overwrite": given.overwrite, "key": given.verify}
        text, warned = run(given.rule, given.table, given.out, given.unseen, **switches)
    except Refused as error:
        print("rule_reader: " + " ".join(str(error).split()), file=sys.stderr)
        return 2
    print(text)
    return WARNED if warned and given.strict else 0


def run(
    rule_path: str,
    table_path: str,
    out: str,
    unseen: str,
    *,
    force: bool = False,
    overwrite: bool = False,
    key: str | None = None,
) -> Tuple[str, bool]:
    """Read, decide and write; return what was done, and whether there was a warning."""
    if not out.lower().endswith(".csv"):
        raise Refused(f"--out must end in .csv; got {out!r}.")
    for path in (rule_path, table_path):
        if os.path.exists(out) and os.path.exists(path) and os.path.samefile(out, path):
            raise Refused(f"--out {out} is one of the files that are read; choose another name.")
    rule = load_rule(rule_path, key)
    if not overwrite:
        _refuse_other(out, rule["sha256"])
    table = read_table(table_path, rule, force=force)
    try:
        columns = decide(rule, table, unseen, force=force)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise Refused(f"{rule_path} is not a rule of schema {rule['schema']}.") from None
    write_file(out, to_csv(columns))
    n_patients, n_outside = len(columns["score"]), sum(columns["outside_range"])
    low, high = rule["score_range"]
    notes = {
        f"warning: forced: {columns.get('forced', [''])[0]}.": "forced" in columns,
        "whether they were in the study was not checked here.": rule.get("remembered_patients"),
        f"warning: {n_outside} of {n_patients} patients have scores outside the rule's own "
        f"{low:g} to {high:g}.": n_outside,
    }
    for note in filter(notes.get, notes):
        print(f"rule_reader: {note}", file=sys.stderr)
    counts = Counter(columns.get("stratum", columns.get("decision", [])))
    summary = f"{counts[1]} of {n_patients} patients called"
    if "stratum" in columns:
        summary = ", ".join(f"{counts[name]} {name}" for name in rule["strata"])
    return f"{summary}\nWrote {out}", n_outside > 0 or "forced" in columns


def _refuse_other(out: str, rule_sha256: str) -> None:
    """Refuse to replace a file that is not one of decisions of the same rule."""
    found = None
    if os.path.isfile(out) and os.path.getsize(out):
        with suppress(OSError, csv.Error):
            found = rule_of_decisions(out)
        if found != rule_sha256:
            raise Refused(
                f"{out} holds results of another rule, or something else. Choose another --out, "
                "or replace it with --overwrite."
            )


def run_command() -> int:
    """Run the command; Ctrl-C and a closed or full standard output give one line at most."""
    try:
        code = main()
        print(end="", flush=True)
    except KeyboardInterrupt:
        sys.stderr.write("rule_reader: interrupted; no result was written.\n")
        return 130
    except OSError as error:
        # Python would try to print the rest again at its end.
        sys.stdout = io.StringIO()
        if isinstance(error, BrokenPipeError):
            return 1
        text = (
            f"rule_reader: cannot write to the standard output: {_why(error)}. The file is there."
        )
        print(text, file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(run_command())
