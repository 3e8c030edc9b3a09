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
from functools import lru_cache
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
# A whole number that is written as a float: the group "1.0" is the group "1". Other numbers stay:
# 1.10 may be a version and not 1.1.
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

# A cut-off that calls everybody or nobody is infinite. JSON has no infinity: files hold a text.
ENDS = {"below every score": -math.inf, "above every score": math.inf}
END_TEXTS = {end: text for text, end in ENDS.items()}

Rule = Dict[str, Any]
Table = Dict[str, List[str]]
Columns = Dict[str, List[Any]]
Scores = List[float]

# What reading a field raises that is not there or has another form.
WRONG_CONTENT = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
NEWER = "If a newer steadycut made the file, use the reader of that version."
SIGNATURE = {
    "algorithm": "'Ed25519'",
    "schema": r"'steadycut\.signature/1'",
    "key sha256 signature": "str",
}

# What each field of each part of a file may hold; scripts/write_schema.py writes this. A field with
# "?" may be missing. A form is the name of a part or of a type (with the smallest and the largest
# value), several of them, a quoted pattern, a list of a form (with its least and largest length),
# or the fields of a part, those of one form together; "*" stands for any name.
FORMS: Rule = json.loads(
    r"""{"CertificatePart":{"bound":"str", "delta":"Share", "generalization":"float",
"honesty":"'split|uniform|menu'", "n_candidates":"int/1/inf", "n_patients":"Count", "risk
trivial_risk value":"float/0/inf", "vacuous":"bool"}, "Columns":{"event? negative? patient score
time?":"str", "horizon?":"float/5e-324/inf", "label positive site":"NoneType|str",
"label_how?":"'any'", "levels":["str"], "unscored?":"'call|leave'"}, "CostsPart":{"cost_fn
cost_fp":"float/5e-324/inf"}, "Count":"int/0/9007199254740992", "CountsPart":{"fn fp tn
tp":"Count"}, "CutOff":"End|float", "End":"'below\\x20every\\x20score|above\\x20every\\x20score'",
"EnsemblePart":{"kind":"'quantile|gls'", "methods":[{"aggregation":["Step", 1],
"reference":["float", 1, 2001], "score":"str", "score_range":"Range", "weight":"int/0/10000"}, 2]},
"Hash":"'[0-9a-f]{64}'", "InstancesPart":{"largest smallest":"Count", "median":"float"},
"Range":["float", 2, 2], "RoleCounts":{"certify certify_positive certify_unknown? positive select
select_positive test? test_positive? total unknown?":"Count"},
"Share":"float/5e-324/0.9999999999999999", "Step":{"how level":"str"},
"steadycut.covariate/1":{"aggregation":["Step", 1], "certificate":"CertificatePart",
"columns":"Columns", "costs":"CostsPart", "covariate":"str", "covariate_range":"NoneType|Range",
"cuts":[{"at":"float|str", "certificate":"CertificatePart|NoneType", "own_threshold
threshold":"CutOff", "rank":"float", "weight":"float/0/1"}, 1], "difference":{"delta risk
standard_error upper":"float"}, "direction":"'ge|le'", "draws":[["float"], 1],
"instances_per_patient? units_per_patient?":"InstancesPart", "kind":"'groups|smooth'",
"pooled":{"certificate":"CertificatePart", "draws":["float"], "rank":"float", "threshold":"CutOff"},
"provenance":{"data_sha256 rule":"str", "patients":"RoleCounts", "seed":"int",
"versions":{"*":"str"}}, "reference?":"CountsPart", "scale":{"ranks":["int", 2],
"thresholds":["CutOff"]}, "schema":"'steadycut\\.covariate/1'", "score_range":"Range",
"sha256":"Hash", "test":{"df":"int", "n_patients":"Count", "p_value statistic":"float"}},
"steadycut.rule/1":{"adapted?":{"attempt?":"int/1/9007199254740992", "choosing labelled
pool":"Count", "menu parent plan?":"Hash", "prevalence":"NoneType|Range", "sequential":"bool"},
"aggregation":["Step", 1], "all_patients?":{"n_negative n_positive":"Count", "quantiles_negative
quantiles_positive":["float"]}, "bootstrap_thresholds":["CutOff", 1],
"certificate":"CertificatePart", "certified_rates?":[{"answer":"'yes|no|cannot\\x20tell'",
"asked":"Share", "lower upper":"float/0/1", "n_patients right":"Count", "observed":"NoneType|float",
"rate":"'sensitivity|specificity|npv|ppv'"}], "columns":"Columns", "costs":"CostsPart",
"direction":"'ge|le'", "ensemble":"EnsemblePart|NoneType", "operating_value":"NoneType|float",
"provenance":{"data_sha256":"str", "options":{"bound ensemble honesty selector stratify":"str",
"certify_size delta delta_boot? test_size?":"float", "grid":"int|str", "n_bootstrap
small_cells?":"int", "stratified":"bool"}, "patients":"RoleCounts", "seed":"int", "sites":["str"],
"versions":{"*":"str"}}, "reference":{"bins":{"edges":["float"], "negative positive":["Count"]}, "fn
fp tn tp":"Count", "instances_per_patient":"InstancesPart|NoneType", "quantiles_negative
quantiles_positive":["float"], "unscored?":"CountsPart"}, "remembered_patients?":{"hashes":["str"],
"key_check? salt":"Hash", "scheme":"'hmac\\-sha256|pbkdf2\\-sha256'"}, "rule":"str",
"schema":"'steadycut\\.rule/1'", "score_range":"Range", "sha256":"Hash", "stability":{"band
centering form":"str", "bias flip_rate modulus penalty quantile radius":"float",
"n_bootstrap":"int", "warnings":["str"]}, "target_prevalence":"NoneType|Range",
"threshold":"CutOff", "units_per_patient?":"InstancesPart"},
"steadycut.strata/1":{"aggregation":["Step", 1], "between?":{"high low":"float/0/1",
"level":"Share", "n_patients patients":"Count"}, "bootstrap_thresholds":[["CutOff"], 1],
"boundaries":[{"above below":"str", "alarm miss":{"errors n_patients":"Count", "limit":"float",
"rate":"NoneType|float"}, "alarm_costs miss_costs":{"*":"float"}, "delta":"Share",
"probability":"NoneType|float", "threshold":"CutOff"}], "certificate":"CertificatePart",
"columns":"Columns", "costs":[["float"]], "counts":[["Count"]], "direction":"'ge|le'", "grades
strata":["str", 2], "instances_per_patient":"InstancesPart|NoneType",
"operating_values":["NoneType|float"], "provenance":{"data_sha256":"str", "options":{"bound":"str",
"certify_size delta":"float", "grid":"int|str", "n_bootstrap seed":"int"}, "patients":{"certify
select":["Count"], "total":"Count"}, "versions":{"*":"str"}}, "rule":"str",
"schema":"'steadycut\\.strata/1'", "score_range usual_range":"Range", "sha256":"Hash",
"sides?":[{"answer":"'yes|no|cannot\\x20tell'", "asked":"Share", "lower upper":"float/0/1",
"n_patients right":"Count", "observed":"NoneType|float", "patients_needed?":"int",
"rate":"'sensitivity|specificity|npv|ppv'", "rate_needed?":"float"}, 2, 2], "stability":{"bias
radius":["float"], "flip_rate jump_rate local_modulus modulus objective penalty quantile
smallest_risk":"float", "n_bootstrap":"int", "warnings":["str"]}, "thresholds":["CutOff", 1],
"units_per_patient?":"InstancesPart"}}""",
    strict=False,
)


def with_ends(names: Dict[Any, Any], value: Any) -> Any:
    """Return a cut-off, or a list of them, with the ends replaced: texts by numbers, or back."""
    if isinstance(value, (list, tuple)):
        return [with_ends(names, item) for item in value]
    return names.get(value, value) if isinstance(value, (str, float)) else value


class Refused(Exception):  # noqa: N818 (part of the public names)
    """Something cannot be done; the text says why, in one line."""


def _need(holds: object, text: str = "") -> None:
    """Refuse with a text what does not hold; without a text raise a ValueError."""
    if not holds:
        raise Refused(text) if text else ValueError


# The rule ----------------------------------------------------------------------------------


def load_rule(path: str, key: str | None = None) -> Rule:
    """Return the content of a frozen file; refuse it if it was changed or has unknown fields.

    With ``key``, the file of a public key, refuse it too if this key did not sign these bytes.
    """
    written = _read_bytes(path, "rule file")
    if key is not None:
        check_signature(written, path, key)
    rule = _parse(written, path)
    _need(_is_whole(rule, written), f"{path} was changed after it was written; use the original.")
    known = _fits(rule, rule["schema"]) and fits_together(rule)
    _need(known, f"{path} is not a rule of schema {rule['schema']}.")
    return rule


def _read_bytes(path: str, what: str) -> bytes:
    try:
        with open_plain(path) as file:
            return bytes(file.read(LARGEST_FILE + 1))
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read the {what} {path}: {_why(error)}.") from None


def _parse(written: bytes, path: str) -> Rule:
    _need(len(written) <= LARGEST_FILE, f"{path} is not a rule file: it is too large.")
    try:
        rule = json.loads(written.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused(f"{path} is not a rule file: it is not valid JSON.") from None
    schema = rule.get("schema") if isinstance(rule, dict) else None
    text = f"{path} has the schema {str(schema)[:80]!r}; this reader reads {', '.join(KINDS)}."
    _need(schema in list(KINDS), f"{text} {NEWER}")
    return dict(rule)


def _canonical(content: Rule, **layout: Any) -> bytes:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False, **layout)
    return text.encode("utf-8")


def _is_whole(rule: Rule, written: bytes) -> bool:
    """Whether a file has its canonical bytes, and the hash in it is that of the rest."""
    rest = {name: value for name, value in rule.items() if name != "sha256"}
    with suppress(ValueError, RecursionError):
        own_hash = hashlib.sha256(_canonical(rest, separators=(",", ":"))).hexdigest()
        return own_hash == rule.get("sha256") and _canonical(rule, indent=1) + b"\n" == written
    return False


def _fits(value: Any, form: Any) -> bool:
    """Whether a value has a form of `FORMS`; refuse a field that is not known."""
    if isinstance(form, list):
        low, high = form[1:] + [0, LARGEST_FILE][len(form) - 1 :]
        whole = isinstance(value, list) and low <= len(value) <= high
        return whole and all(_fits(item, form[0]) for item in value)
    if isinstance(form, dict):
        return isinstance(value, dict) and _fields_fit(value, form)
    if form.startswith("'"):
        return isinstance(value, str) and re.fullmatch(form[1:-1], value) is not None
    if "|" in form:
        return any(_fits(value, choice) for choice in form.split("|"))
    if form in FORMS:
        return _fits(value, FORMS[form]) and (form != "Range" or value[0] <= value[1])
    kind, *limits = form.split("/")
    fits = type(value).__name__ == kind
    return fits and (not limits or float(limits[0]) <= value <= float(limits[1]))


def _fields_fit(part: Rule, form: Rule) -> bool:
    fields = {name: field for names, field in form.items() for name in names.split()}
    needed = {name for name in fields if name != "*" and not name.endswith("?")}
    forms = {name: fields.get(name, fields.get(name + "?", fields.get("*"))) for name in part}
    # A field that is not known could change decisions.
    unknown = min((name[:80] for name, field in forms.items() if field is None), default=None)
    text = f"the rule has the field {unknown!r}, which this reader does not know."
    _need(unknown is None, f"{text} {NEWER}")
    return needed <= set(part) and all(_fits(part[name], forms[name]) for name in part)


def fits_together(rule: Rule) -> bool:
    """Whether fields of the right form fit each other; steadycut asks this too."""
    with suppress(*WRONG_CONTENT):
        _check_content(rule)
        return True
    return False


def _check_content(rule: Rule) -> None:
    _need(all(needed_columns(rule)) and ROW not in needed_columns(rule)[1:])
    for method in _methods(rule):
        for step in method["aggregation"]:
            parse_aggregator(step["how"])
    for usual in (_usual_rows(rule), rule.get("units_per_patient")):
        _need(usual is None or usual["smallest"] <= usual["median"] <= usual["largest"])
    for part in (rule.get("reference"), rule.get("all_patients")):
        if part and "quantiles_positive" in part:
            lists = [part["quantiles_positive"], part["quantiles_negative"]]
            _need({len(quantiles) for quantiles in lists} <= {0, 101} and any(lists))
            _need(lists == [sorted(quantiles) for quantiles in lists])
    # A kind that only steadycut knows has no further checks here.
    if rule["schema"] in KINDS:
        KINDS[rule["schema"]][0](rule)


def _check_single(rule: Rule) -> None:
    methods = [] if rule["ensemble"] is None else rule["ensemble"]["methods"]
    for method in methods:
        _need(len(method["reference"]) == len(methods[0]["reference"]))
        _need(method["reference"] == sorted(method["reference"]))
        _need(method["aggregation"][:-1] == methods[0]["aggregation"][:-1])
    _need(not methods or any(method["weight"] for method in methods))


def _check_strata(rule: Rule) -> None:
    _need(all(rule["strata"]))
    for row in [rule["thresholds"], *rule["bootstrap_thresholds"]]:
        oriented = [_sign(rule) * value for value in with_ends(ENDS, row)]
        _need(len(row) == len(rule["strata"]) - 1 and oriented == sorted(oriented))
    _need(("sides" in rule) == ("between" in rule))
    if rule.get("sides"):
        _need(len(rule["strata"]) == 3 and len(rule["grades"]) == 2)
        below, above = (side["rate"] for side in rule["sides"])
        _need(below in ("sensitivity", "npv") and above in ("specificity", "ppv"))
    costs = rule["costs"]
    _need([len(row) for row in costs] == [len(rule["strata"])] * len(rule["grades"]))
    _need(all(0 <= cost <= LARGEST_COST for row in costs for cost in row))
    for low, high in zip(zip(*costs), list(zip(*costs))[1:]):
        # At each boundary the grades that pay more above it come before those that pay more below.
        signs = [a > b for a, b in zip(low, high) if a != b]
        _need(len(set(signs)) == 2 and signs == sorted(signs))


def _check_covariate(rule: Rule) -> None:
    scale, draws, cuts = rule["scale"], rule["draws"], rule["cuts"]
    groups = rule["kind"] == "groups"
    _need(scale["ranks"] == sorted(set(scale["ranks"])))
    _need(len(scale["thresholds"]) == len(scale["ranks"]))
    _need(len(draws) == len(rule["pooled"]["draws"]))
    _need(all(len(draw) == len(cuts) for draw in draws))
    _need((rule["covariate_range"] is None) == groups)
    places = [cut["at"] for cut in cuts]
    _need({type(place) for place in places} == {str if groups else float})
    _need(all(places) if groups else places == sorted(places))


def _sign(rule: Rule) -> float:
    return {"ge": 1.0, "le": -1.0}[rule["direction"]]


def _usual_rows(rule: Rule) -> Any:
    """Return how many rows the patients of the study had, if that is known."""
    # Only a rule.json has this in its reference.
    return {**rule.get("reference", {}), **rule}.get("instances_per_patient")


def _methods(rule: Rule) -> List[Rule]:
    """Return the methods of an ensemble, or the rule as the one method that it has."""
    if rule.get("ensemble") is not None:
        return list(rule["ensemble"]["methods"])
    return [{**rule, "score": rule["columns"]["score"]}]


def _levels(rule: Rule) -> List[str]:
    """Return the levels between rows and patients; all methods have the same ones."""
    return [step["level"] for step in _methods(rule)[0]["aggregation"][:-1]]


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
    _need(der, f"{key} is not an Ed25519 public key in PEM. Give the file that ends in .pub.")
    content = signature_of(_read_bytes(f"{path}.sig", "signature"))
    _need(content, f"{path}.sig is not a signature, or was changed. Use the original.")
    same_key = content["key"] == hashlib.sha256(der).hexdigest()
    _need(same_key, f"{path} was signed with another key than {key}.")
    same = content["sha256"] == hashlib.sha256(written).hexdigest()
    signed = is_signed(der[-32:], decoded(content["signature"].encode()), written)
    _need(same and signed, f"the signature does not fit {path}: one of them was changed after it.")


def public_key(pem: bytes) -> bytes:
    """Return an Ed25519 public key in DER; nothing if it is none, or one that protects nothing."""
    inside = PEM.fullmatch(pem)
    der = decoded(inside[1]) if inside else b""
    whole = der.startswith(PUBLIC_START) and len(der) == len(PUBLIC_START) + 32
    return der if whole and not is_weak(der[-32:]) else b""


def decoded(text: bytes) -> bytes:
    """Return the bytes that base64 text stands for; none if it is not written in the one way."""
    with suppress(ValueError):
        content = base64.b64decode(text, validate=True)
        return content if base64.b64encode(content) == text else b""
    return b""


def signature_of(written: bytes) -> Rule:
    """Return what a signature file says; nothing for any other byte than steadycut writes."""
    with suppress(ValueError, RecursionError, Refused):
        content = json.loads(written.decode("utf-8"))
        if _fits(content, SIGNATURE) and _canonical(content, indent=1) + b"\n" == written:
            return dict(content)
    return {}


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether an Ed25519 signature of 64 bytes is that of a message by a key of 32 bytes."""
    point, scalar = _point(public), int.from_bytes(signature[32:], "little")
    if point is None or is_weak(public) or len(signature) != 64 or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    x, y, z, t = _times(int.from_bytes(digest, "little") % ORDER, point)
    x, y, z, _ = _sum(_times(scalar, BASE), (-x, y, z, -t))
    inverse = pow(z, PRIME - 2, PRIME)
    x, y = x * inverse % PRIME, y * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def is_weak(public: bytes) -> bool:
    """Whether a key is no point, or one of the few for which anybody can make signatures."""
    point = _point(public)
    return point is None or _times(8, point)[0] == 0


def _point(packed: bytes) -> Point | None:
    """Return a point from its 32 bytes, in extended coordinates; None if it is not on the curve."""
    number = int.from_bytes(packed, "little")
    y, odd = number % 2**255, number >> 255
    ratio = (y * y - 1) * pow(CURVE * y * y + 1, PRIME - 2, PRIME) % PRIME
    x = pow(ratio, (PRIME + 3) // 8, PRIME)
    if (x * x - ratio) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if (x * x - ratio) % PRIME or y >= PRIME or len(packed) != 32:
        return None
    x = PRIME - x if x & 1 != odd else x
    return x, y, 1, x * y % PRIME


def _sum(first: Point, second: Point) -> Point:
    (x, y, z, t), (u, v, w, s) = first, second
    a, b = (y - x) * (v - u) % PRIME, (y + x) * (v + u) % PRIME
    c, d = 2 * t * s * CURVE % PRIME, 2 * z * w % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _times(count: int, point: Point) -> Point:
    product: Point = (0, 1, 1, 0)
    for bit in f"{count:b}":
        product = _sum(product, product)
        product = _sum(product, point) if bit == "1" else product
    return product


# The point with y = 4/5 and an even x.
BASE: Any = _point((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little"))


# The table ---------------------------------------------------------------------------------


def read_table(path: str, rule: Rule, *, force: bool = False) -> Table:
    """Return the columns of a CSV or TSV file that a rule needs; every cell is a text.

    With ``force`` the columns of levels may be missing.
    """
    known = path.lower().endswith((".csv", ".tsv"))
    _need(known, f"a table must end in .csv or .tsv; got {path!r}. Convert it first.")
    spared = set(_levels(rule)) - {rule.get("covariate")} if force else set()
    try:
        with open_plain(path) as file:
            return _columns(file.read().decode("utf-8-sig"), path, needed_columns(rule), spared)
    except (OSError, ValueError, csv.Error) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else _why(error)
        raise Refused(f"{path} cannot be read: {why}.") from None


def needed_columns(rule: Rule) -> List[str]:
    """Return the columns that a rule needs, each once."""
    names = [rule["columns"]["patient"], *(method["score"] for method in _methods(rule))]
    covariates = [rule["covariate"]] if "covariate" in rule else []
    return list(dict.fromkeys([*names, *_levels(rule), *covariates]))


def _columns(text: str, path: str, needed: List[str], spared: Set[str]) -> Table:
    ends = {"\r\n" if "\r\n" in text else "\n", *re.findall("\r\n|\r|\n", text)}
    clear = "\0" not in text and len(ends) == 1
    _need(clear, f"{path} has NUL characters, or lines that end in different ways. Save it again.")
    header, delimiter = _header(text, "\t" if path.lower().endswith(".tsv") else ",;\t|")
    table: Table = {name: [] for name in needed if name != ROW and name not in spared - {*header}}
    counts = Counter(filter(None, header))
    for name in (*table, *counts):
        number = "more than one" if counts[name] else "no"
        _need(counts[name] == 1, f"{path} has {number} column {name!r}; each must be there once.")
    if re.search(f'(^|[\\r\\n{delimiter}]) +"', text):
        _check_blanks(text, path, delimiter)
    rows, places = _rows(text, delimiter), {name: header.index(name) for name in table}
    next(rows)
    for row in filter(None, rows):
        whole = len(row) >= len(header) and not any(row[len(header) :])
        _need(whole, f"{path} has a row of {len(row)} cells; its first line has {len(header)}.")
        for name, cells in table.items():
            cells.append(row[places[name]])
    n_rows = min(map(len, table.values()))
    _need(n_rows, f"{path} has no rows; at least one instance of one patient is needed.")
    if ROW in needed:
        table[ROW] = [f"{row:0{len(str(n_rows))}}" for row in range(1, n_rows + 1)]
    return table


def _rows(text: str, delimiter: str, *, strict: bool = True, skip: bool = False) -> Any:
    file = io.StringIO(text, newline="")
    return csv.reader(file, delimiter=delimiter, strict=strict, skipinitialspace=skip)


def _check_blanks(text: str, path: str, delimiter: str) -> None:
    """Refuse a blank before a quote: some readers take the quote for a part of the cell."""
    plain, skipping = (_rows(text, delimiter, strict=False, skip=skip) for skip in (False, True))
    for row, other in zip(plain, skipping):
        unclear = any(a != b and a.lstrip(" ")[:1] == '"' for a, b in zip(row, other))
        _need(not unclear, f"{path} has a blank before a quote. Remove such blanks.")


def _header(text: str, delimiters: str) -> Tuple[List[str], str]:
    """Return the names of the columns; the separator is the one that gives the most names."""
    headers: Dict[str, List[str]] = {delimiter: [] for delimiter in delimiters}
    for delimiter in delimiters:
        with suppress(csv.Error):  # text after a closed quote: another separator fits
            headers[delimiter] = next(_rows(text, delimiter), [])
    best = max(headers, key=lambda delimiter: len(headers[delimiter]))
    return headers[best], best


def is_missing_mark(text: str, *, patient: bool = False) -> bool:
    """Whether a text stands for a missing value, whatever blanks and invisible characters it has.

    ``patient`` says that it is in the place of a patient; elsewhere "none" may be a name.
    """
    plain = "".join(filter(str.isprintable, text)).strip().lower()
    return plain in MARKS or (patient and plain == "none")


def _check_filled(table: Table, name: str, patient: str) -> None:
    gaps = sum(is_missing_mark(text, patient=name == patient) for text in table[name])
    rows = f"{gaps} of {len(table[name])} rows have no value there"
    _need(not gaps, f"column {name!r} must be filled in every row; {rows}. Fix or remove them.")


def _numbers(table: Table, name: str) -> Scores:
    texts = [text.strip(BLANKS) for text in table[name]]
    numbers = [float(text) if NUMBER.fullmatch(text) else math.nan for text in texts]
    gaps = [text for text, number in zip(texts, numbers) if not math.isfinite(number)]
    other = [text for text in gaps if text.lower() not in NO_SCORE and not NUMBER.fullmatch(text)]
    for bad, what in ((other, "other text"), (gaps, "missing, NaN or infinite")):
        count = f"{len(bad)} of {len(texts)} are {what}"
        _need(not bad, f"{name!r} must hold finite numbers (decimal point); {count}. Fix them.")
    small = max(map(abs, numbers)) <= LARGEST_SCORE
    _need(small, f"{name!r} must not exceed {LARGEST_SCORE:g} in absolute value. Rescale.")
    return numbers


# Aggregators of the scores of a group, in ascending order ----------------------------------


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


def noisy_or(scores: Scores) -> float:
    """Return the probability of at least one positive, from independent ones in ascending order."""
    unit = scores[0] >= 0 and scores[-1] <= 1
    _need(unit, "noisy-or needs scores from 0 to 1. Turn the scores into probabilities.")
    if scores[-1] == 1:
        return 1.0
    return -math.expm1(math.fsum(math.log1p(-score) for score in scores)) + 0.0


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
    "noisy-or": (noisy_or, None, bool),
    "trimmed-mean": (_trimmed_mean, float, lambda share: 0 <= share < 0.5),
}


def parse_aggregator(how: str) -> Callable[[Scores], float]:
    """Return the function that ``how`` names; it takes scores in any order."""
    name, _, number = how.partition(":")
    function, read, allows = AGGREGATORS[name]
    values = [] if read is None else [read(number)]
    _need(all(map(allows, values)) and (values or how == name))
    return lambda scores: function(sorted(scores), *values)


def _patient_scores(table: Table, patient: str, method: Rule) -> Dict[str, float]:
    """Return one score per patient: rows are aggregated to the innermost level, then outwards.

    The step of a level that the table lacks is left out.
    """
    *steps, last = method["aggregation"]
    steps = [step for step in steps if step["level"] in table]
    keys = zip(table[patient], *(table[step["level"]] for step in reversed(steps)))
    groups: Dict[Tuple[str, ...], Scores] = {}
    for key, number in zip(keys, _numbers(table, method["score"])):
        # Adding 0.0 turns negative zero into zero.
        groups.setdefault(key, []).append(number + 0.0)
    for step in (*steps, last):
        aggregate = parse_aggregator(step["how"])
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
    patient, methods = rule["columns"]["patient"], _methods(rule)
    _check_roles(rule)
    for name in needed_columns(rule):
        if name in table and name not in [method["score"] for method in methods]:
            _check_filled(table, name, patient)
    names, table = sorted({*table[patient]}), _with_scores(rule, table)
    by_method = [_patient_scores(table, patient, method) for method in methods]
    unlike = _unlike(rule, table)
    _need(force or not unlike, " ".join(unlike.values()))
    forced = [LEVEL for level in _levels(rule) if level not in table] + list(unlike)
    several = [[scores.get(name, math.nan) for scores in by_method] for name in names]
    scores = [_combined(rule, own) for own in several]
    ranges = [part["score_range"] for part in (rule, *methods)]
    columns: Columns = {
        "patient": names,
        "score": scores,
        **_decided(rule, scores, _places(rule, table, names, unseen)),
        "outside_range": [_outside(ranges, [score, *own]) for score, own in zip(scores, several)],
        "rule_sha256": [rule["sha256"]] * len(names),
    }
    return {**columns, "forced": ["; ".join(forced)] * len(names)} if forced else columns


def _with_scores(rule: Rule, table: Table) -> Table:
    """Return the rows of patients with a score, if the rule says what to do with the others."""
    if "unscored" not in rule["columns"]:
        return table
    patients, columns = table[rule["columns"]["patient"]], [m["score"] for m in _methods(rule)]
    cells = zip(patients, *(table[name] for name in columns))
    scored = {name for name, *texts in cells if not any(map(_is_gap, texts))}
    _need(scored, "no row has a score. At least one patient must have one.")
    rows = [row for row, name in enumerate(patients) if name in scored]
    return {name: [column[row] for row in rows] for name, column in table.items()}


def _is_gap(text: str) -> bool:
    plain = text.strip(BLANKS)
    return plain.lower() in NO_SCORE or bool(NUMBER.fullmatch(plain) and math.isinf(float(plain)))


def _outside(ranges: List[Scores], scores: Scores) -> int:
    """Return 1 if a score, or that of a method of an ensemble, is outside the known range."""
    return int(any(score < low or score > high for (low, high), score in zip(ranges, scores)))


def _check_roles(rule: Rule) -> None:
    first, scores = rule["columns"]["patient"], {method["score"]: 1 for method in _methods(rule)}
    roles = Counter([first, *_levels(rule), *scores])
    twice = [name for name, count in roles.items() if count > 1]
    twice += [name for name in (first, *scores) if name == rule.get("covariate")]
    _need(not twice, f"the rule uses the column {''.join(twice[:1])!r} in two roles.")


def _unlike(rule: Rule, table: Table) -> Dict[str, str]:
    """Return why the table does not look like that of the study, by the name of the check.

    Either the rows seem to be aggregated already, or the units of a level are not told apart. The
    second is looked at only if the first is not the case, and no level is missing.
    """
    patients, usual, levels = table[rule["columns"]["patient"]], _usual_rows(rule), _levels(rule)
    rows = Counter(patients)
    if usual and usual["largest"] == 1 and _median(sorted(rows.values())) > 1:
        return {AGGREGATION: "patients have several rows; those of the rule had one. Use --force."}
    counted = [(AGGREGATION, "rows", rows, usual)]
    if levels and {*levels} <= {*table}:
        leaves = set(zip(patients, *(table[level] for level in levels)))
        units = Counter(leaf[0] for leaf in leaves)
        counted.append((LEVEL, "units", units, rule.get("units_per_patient")))
    for check, what, here, usual in counted:
        many = usual and (usual["smallest"] > 1 or (usual["median"] > 1 and len(here) >= SURE))
        if many and max(here.values()) == 1:
            own = f"those of the rule had {usual['smallest']} to {usual['largest']}"
            advice = "Give the table of instances, or use --force."
            return {check: f"every patient has one of the {what}; {own}. {advice}"}
    return {}


def _combined(rule: Rule, scores: Scores) -> float:
    """Return the score of a patient; for an ensemble the weighted mean rank, from 0 to 1."""
    if rule.get("ensemble") is None or math.isnan(scores[0]):
        return scores[0]
    methods, total = rule["ensemble"]["methods"], 0
    for method, score in zip(methods, scores):
        ranks = bisect_left(method["reference"], score) + bisect_right(method["reference"], score)
        total += method["weight"] * ranks
    weight = sum(method["weight"] for method in methods)
    return total / (2 * len(methods[0]["reference"]) * weight)


def _decided(rule: Rule, scores: Scores, places: List[Any]) -> Columns:
    """Name how many thresholds each score reaches, and return the share of draws that differ."""
    sign, names = _sign(rule), rule.get("strata", [0, 1])
    decided, flips, thresholds = [], [], []

    @lru_cache(maxsize=1000)
    def cuts_at(place: Any) -> Tuple[Scores, List[Scores]]:
        own, *draws = with_ends(ENDS, KINDS[rule["schema"]][1](rule, place))
        return own, [sorted(sign * cut for cut in column) for column in zip(*draws)]

    for score, place in zip(scores, places):
        own, columns = cuts_at(place)
        n, at = len(columns[0]), bisect_right([sign * cut for cut in own], sign * score)
        reached = [n, *(bisect_right(column, sign * score) for column in columns), 0]
        if math.isnan(score):
            at = int(rule["columns"]["unscored"] == "call")
            reached = [n, n * at, 0]
        decided.append(names[at])
        flips.append((n - reached[at] + reached[at + 1]) / n)
        written = with_ends(END_TEXTS, own)
        thresholds.append("; ".join(map(str, written)) if "strata" in rule else written[0])
    if "strata" in rule:
        return {"stratum": decided, "flip_probability": flips, "thresholds": thresholds}
    return {"decision": decided, "flip_probability": flips, "threshold": thresholds}


def _places(rule: Rule, table: Table, names: List[str], unseen: str) -> List[Any]:
    """Return the position of each patient's group among the cuts, or the number itself."""
    if "covariate" not in rule:
        return [None] * len(names)
    column = rule["covariate"]
    values: Dict[str, str] = {}
    for name, value in zip(table[rule["columns"]["patient"]], table[column]):
        same = values.setdefault(name, value) == value
        _need(same, f"in {column!r} some patients have several values. Fix them.")
    if rule["kind"] == "smooth":
        return list(_numbers({column: [values[name] for name in names]}, column))
    texts = [values[name].strip() for name in names]
    exact = {cut["at"]: place for place, cut in enumerate(rule["cuts"])}
    groups = {**{plain_group(name): place for name, place in exact.items()}, **exact}
    places = [groups.get(text, groups.get(plain_group(text), len(exact))) for text in texts]
    strange = f"{places.count(len(exact))} of {len(places)} patients are of a group of {column!r}"
    known = unseen == "pooled" or len(exact) not in places
    _need(known, f"{strange} that the rule has not seen. Remove them, or give --unseen pooled.")
    return places


def plain_group(text: str) -> str:
    """Return the name of a group; a whole number is the same however a table stores it."""
    whole = WHOLE.fullmatch(text)
    return str(int(whole[1])) if whole else text


def _covariate_cuts(rule: Rule, place: Any) -> List[Scores]:
    """Return the threshold at a place of the covariate, and that of each draw."""
    own = [*(cut["rank"] for cut in rule["cuts"]), rule["pooled"]["rank"]]
    draws = [[*draw, pooled] for draw, pooled in zip(rule["draws"], rule["pooled"]["draws"])]
    return [[_threshold(rule, _rank(rule, ranks, place))] for ranks in (own, *draws)]


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
    return with_ends(ENDS, rule["scale"]["thresholds"][above - 1 if lower else above]) + 0.0


def _single_cuts(rule: Rule, _: Any) -> List[Scores]:
    return [[cut] for cut in (rule["threshold"], *rule["bootstrap_thresholds"])]


def _strata_cuts(rule: Rule, _: Any) -> List[Scores]:
    return [rule["thresholds"], *rule["bootstrap_thresholds"]]


# How each kind is checked; its thresholds at a place of the covariate, and those of each draw.
KINDS: Dict[str, Tuple[Callable[[Rule], None], Callable[[Rule, Any], List[Scores]]]] = {
    "steadycut.rule/1": (_check_single, _single_cuts),
    "steadycut.strata/1": (_check_strata, _strata_cuts),
    "steadycut.covariate/1": (_check_covariate, _covariate_cuts),
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
    if isinstance(cell, float) and math.isnan(cell):
        return ""
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
            check_plain(opened)
        except OSError:
            os.close(opened)
            raise
        return opened

    return open(path, mode, opener=opener)


def check_plain(path: Any) -> None:
    """Refuse what is not a plain file; the root user would replace /dev/null by a file.

    An open file may be given by its number.
    """
    mode = os.stat(path).st_mode if os.path.exists(path) else stat.S_IFREG
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(None, "Is a directory")
    if not stat.S_ISREG(mode):
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
    with suppress(OSError, AttributeError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _why(error: Exception) -> str:
    return " ".join(str(getattr(error, "strerror", None) or error).split())


# The command -------------------------------------------------------------------------------


SWITCH = {"action": "store_true"}
UNSEEN = {"choices": ("refuse", "pooled"), "default": "refuse"}
ARGUMENTS: Dict[str, Tuple[str, Dict[str, Any]]] = {
    "rule": ("rule.json, strata.json or covariate.json", {"metavar": "RULE"}),
    "table": ("CSV or TSV file, one row per instance", {"metavar": "TABLE"}),
    "--out": ("CSV file to write", {"required": True, "metavar": "FILE"}),
    "--unseen": ("patients of a group that a covariate.json has not seen", UNSEEN),
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
        text, warned = _run(given)
    except Refused as error:
        print("rule_reader: " + " ".join(str(error).split()), file=sys.stderr)
        return 2
    print(text)
    return WARNED if warned and given.strict else 0


def _run(given: argparse.Namespace) -> Tuple[str, bool]:
    """Read, decide and write; return what was done, and whether there was a warning."""
    out = given.out
    _need(out.lower().endswith(".csv"), f"--out must end in .csv; got {out!r}.")
    for path in (given.rule, given.table):
        same = os.path.exists(out) and os.path.exists(path) and os.path.samefile(out, path)
        _need(not same, f"--out {out} is one of the files that are read; choose another name.")
    rule = load_rule(given.rule, given.verify)
    pooled = given.unseen == "refuse" or "covariate" in rule
    _need(pooled, "--unseen pooled is for a covariate.json; leave it out for other rules.")
    own = given.overwrite or _may_replace(out, rule["sha256"])
    text = f"{out} holds results of another rule, or something else."
    _need(own, f"{text} Choose another --out, or replace it with --overwrite.")
    table = read_table(given.table, rule, force=given.force)
    try:
        columns = decide(rule, table, given.unseen, force=given.force)
    except WRONG_CONTENT:
        raise Refused(f"{given.rule} is not a rule of schema {rule['schema']}.") from None
    write_file(out, to_csv(columns))
    warnings = _warnings(rule, columns)
    for text in warnings:
        print(f"rule_reader: warning: {text}", file=sys.stderr)
    if rule.get("remembered_patients"):
        print("rule_reader: whether they were in the study was not checked here.", file=sys.stderr)
    counts = Counter(columns.get("stratum", columns.get("decision")))
    summary = f"{counts[1]} of {len(columns['score'])} patients called"
    if "stratum" in columns:
        summary = ", ".join(f"{counts[name]} {name}" for name in rule["strata"])
    return f"{summary}\nWrote {out}", bool(warnings)


def _warnings(rule: Rule, columns: Columns) -> List[str]:
    (low, high), outside = rule["score_range"], columns["outside_range"]
    texts = [f"forced: {forced}." for forced in columns.get("forced", [])[:1]]
    if any(outside):
        share = f"{sum(outside)} of {len(outside)} patients have scores outside the rule's own"
        texts.append(f"{share} {low:g} to {high:g}.")
    return texts


def _may_replace(out: str, rule_sha256: str) -> bool:
    """Whether a file is new or empty, or holds decisions of the same rule."""
    if not os.path.isfile(out) or not os.path.getsize(out):
        return True
    with suppress(OSError, csv.Error):
        return bool(rule_of_decisions(out) == rule_sha256)
    return False


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
        text = f"cannot write to the standard output: {_why(error)}. The file is there."
        print(f"rule_reader: {text}", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(run_command())
