"""Changed files are refused, and the reader that runs alone decides as steadycut does.

    python -m benchmarks.trust.run rule_file [--quick] [--seed 0]

Bytes of frozen files and of their signatures are changed at random: every change must be refused,
by steadycut, by ``rule_reader.py`` and by ``verify``. Random rules of every kind decide about
random tables: the reader's file must hold the bytes of steadycut's. Tables are then spoiled: the
reader must refuse them, or decide as steadycut does. Then single fields of rules are broken, and
the hash is made right again: the reader must refuse what steadycut refuses.
"""

import json
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ed25519

from benchmarks.trust.hostile.watch import one_database
from benchmarks.trust.row import Row
from steadycut import CovariateRule, FrozenRule, StrataRule, __version__, rule_reader
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.documents.signature import make_key, sign, signature_path, verify
from steadycut.errors import DeploymentRefused, SteadycutError, SteadycutWarning
from steadycut.io.safe_csv import csv_bytes

GOLDEN = Path(__file__).resolve().parent.parent.parent / "tests/golden" / __version__
KINDS = {"rule": FrozenRule, "strata": StrataRule, "covariate": CovariateRule}
HOWS = ("mean", "median", "max", "min", "quantile:{q}", "top-k:{k}", "fraction-above:{x}")
HOWS = (*HOWS, "noisy-or", "trimmed-mean:{t}")
STRANGE = [
    number.to_bytes(32, "little")
    for number in (
        *(0, 1, 2, rule_reader.PRIME - 1, rule_reader.PRIME, rule_reader.PRIME + 1),
        *(rule_reader.ORDER - 1, rule_reader.ORDER, 2**255, 2**255 + 1, 2**256 - 1),
        # A point of order 8.
        0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
    )
]
# Keys for which anybody can sign: y is 0, 1 or -1, also above the prime, or of order 8.
SMALL = [STRANGE[i] for i in (0, 1, 3, 4, 5, 8, 9, 11)]
COLUMNS = ("patient", "slide", "block", "score", "other", "sex", "age")


# Changed bytes -----------------------------------------------------------------------------


def change(written, rng):
    """The bytes with one changed, added, left out or said twice, or cut off."""
    at, how = int(rng.integers(len(written))), int(rng.integers(5))
    if how == 0:
        flipped = written[at] ^ int(rng.integers(1, 256))
        return written[:at] + bytes([flipped]) + written[at + 1 :]
    if how == 1:
        return written[:at] + bytes([int(rng.integers(256))]) + written[at:]
    if how == 2:
        return written[:at] + written[at + 1 :]
    if how == 3:
        end = written.find(b"\n", at) + 1 or len(written)
        return written[:end] + written[at:end] + written[end:]
    return written[:at]


def changed_files(n, rng, folder):
    paths, unnoticed, spoken = sorted(GOLDEN.glob("*.json")), 0, 0
    failures = {"unnoticed by steadycut": 0, "unnoticed by the reader": 0, "tracebacks": 0}
    for _ in range(n):
        path = paths[int(rng.integers(len(paths)))]
        whole = path.read_bytes()
        changed = change(whole, rng)
        if changed == whole:  # a digit left out of a run of equal ones
            changed = whole + b" "
        (folder / "rule.json").write_bytes(changed)
        kind = KINDS[path.stem.partition("-")[0]]
        unnoticed += passes(lambda kind=kind: kind.load(folder / "rule.json"), failures)
        spoken += passes(lambda: rule_reader.load_rule(str(folder / "rule.json")), failures)
    failures["unnoticed by steadycut"] = unnoticed
    failures["unnoticed by the reader"] = spoken
    return Row("changed bytes of frozen files", n, failures)


def passes(call, failures):
    """Whether a call was not refused; any other error than a refusal counts as a traceback."""
    try:
        call()
    except (SteadycutError, rule_reader.Refused):
        return 0
    except Exception as error:  # noqa: BLE001
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        failures["tracebacks"] += 1
        return 0
    return 1


def changed_signatures(n, rng, folder):
    failures = {"unnoticed": 0, "unnoticed by the reader": 0, "tracebacks": 0}
    for name in ("key", "other"):
        make_key(folder / name)
    rule = folder / "signed.json"
    whole = (GOLDEN / "rule-ge.json").read_bytes()
    rule.write_bytes(whole)
    signed = sign(rule, folder / "key").to_bytes()
    for _ in range(n):
        which = int(rng.integers(3))
        rule.write_bytes(change(whole, rng) if which == 0 else whole)
        signature_path(rule).write_bytes(change(signed, rng) if which == 1 else signed)
        key = folder / ("other.pub" if which == 2 else "key.pub")
        same = rule.read_bytes() == whole and signature_path(rule).read_bytes() == signed
        if which < 2 and same:  # a digit left out of a run of equal ones
            rule.write_bytes(whole + b" ")
        failures["unnoticed"] += passes(lambda key=key: verify(rule, key), failures)
        alone = partial(rule_reader.load_rule, str(rule), str(key))
        failures["unnoticed by the reader"] += passes(alone, failures)
    return Row("changed signed files, signatures and keys", n, failures)


def judged_signatures(n, rng):
    """Let the reader and the package judge the same signatures, right, changed and strange ones."""
    differ = weak = 0
    for _ in range(n):
        private = ed25519.Ed25519PrivateKey.from_private_bytes(rng.bytes(32))
        message = rng.bytes(int(rng.integers(100)))
        parts = [private.public_key().public_bytes_raw(), private.sign(message), message]
        which, how = int(rng.integers(4)), int(rng.integers(3))
        if which < 2 and how == 0:
            # Points of small order, and numbers above the prime or the order of the group.
            parts[which] = parts[which][:-32] + STRANGE[int(rng.integers(len(STRANGE)))]
        elif which < 3 and parts[which]:
            at = int(rng.integers(len(parts[which])))
            flipped = parts[which][at] ^ 1 << int(rng.integers(8))
            parts[which] = parts[which][:at] + bytes([flipped]) + parts[which][at + 1 :]
        small = parts[0] in SMALL
        weak += small and (rule_reader.is_signed(*parts) or not rule_reader.is_weak(parts[0]))
        differ += not small and rule_reader.is_signed(*parts) != _package_says(*parts)
    ways = {"differences": differ, "weak keys accepted": weak}
    return Row("Ed25519 signatures, judged by reader and package", n, ways)


def _package_says(public, signature, message):
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


# Random rules and tables -------------------------------------------------------------------


def random_numbers(n, rng, unit):
    """Scores of many kinds; from 0 to 1 if they are to be probabilities."""
    drawn = rng.random(n) if unit else rng.normal(size=n)
    kind = int(rng.integers(6))
    if kind == 0:
        drawn = drawn.round(1)
    elif kind == 1:
        drawn = drawn.astype(np.float32).astype(float)
    elif kind == 2:
        drawn = drawn * 5e-324 * rng.integers(0, 9, n)
    elif kind == 3 and not unit:
        drawn = drawn * 10.0 ** rng.integers(-300, 299, n)
    elif kind == 4:
        drawn = np.where(rng.random(n) < 0.5, -0.0, drawn)
    return np.clip(drawn, 0, 1) if unit else drawn


def random_table(rng, unit):
    n = int(rng.integers(1, 60))
    patient = rng.integers(0, max(1, n // 4) + 1, n) if rng.random() < 0.8 else np.arange(n)
    prefix = rng.choice(["p", "=", "-", "", "0", "é", "@x", 'q"', "a,b"])
    slide, block = rng.integers(0, 3, n), rng.integers(0, 2, n)
    numbers = [random_numbers(n, rng, unit) for _ in range(2)]
    return {
        "patient": [f"{prefix}{one}" for one in patient],
        "slide": slide.astype(str).tolist(),
        "block": [f"b{one}" for one in block],
        "score": [spelled(value, rng) for value in numbers[0].tolist()],
        "other": [spelled(value, rng) for value in numbers[1].tolist()],
        "sex": [("f", "m", "x")[one % 3] for one in patient],
        "age": (20 + 3.5 * patient).astype(str).tolist(),
    }


def spelled(value, rng):
    """A number as texts write it; all of them read back to the same bits."""
    ways = (
        repr(value),
        f"{value:.17e}",
        f" {value!r}",
        f"+{value!r}" if value > 0 else f"{value!r} ",
    )
    return ways[int(rng.integers(4))] if rng.random() < 0.2 else ways[0]


def random_how(rng, unit):
    how = str(rng.choice([one for one in HOWS if unit or one != "noisy-or"]))
    numbers = {
        "q": rng.random(),
        "k": rng.integers(1, 6),
        "x": rng.normal(),
        "t": rng.random() / 2.1,
    }
    return how.format(**numbers)


def random_steps(rng, unit):
    levels = [["slide"], ["block", "slide"], []][int(rng.integers(3))]
    return [{"level": level, "how": random_how(rng, unit)} for level in (*levels, "patient")]


def random_content(rng, unit, pool):
    """The content of a rule of any kind, its numbers drawn from a pool."""
    name = str(
        rng.choice(
            ["rule-ge", "rule-ensemble-gls", "strata-ge", "covariate-groups", "covariate-smooth"]
        )
    )
    content = json.loads((GOLDEN / f"{name}.json").read_bytes())
    content["direction"] = str(rng.choice(["ge", "le"]))
    content["aggregation"] = random_steps(rng, unit)
    content["columns"].update(patient="patient", score="score")
    sign, n_draws = (1 if content["direction"] == "ge" else -1), int(rng.integers(1, 30))
    if name.startswith("rule"):
        content["threshold"] = float(rng.choice(pool))
        content["bootstrap_thresholds"] = rng.choice(pool, n_draws).tolist()
    content.pop("units_per_patient", None)
    if rng.random() < 0.5:
        content["units_per_patient"] = random_span(rng)
    content.get("reference", content)["instances_per_patient"] = random_span(rng)
    if name.startswith("covariate") and rng.random() < 0.5:
        # Files of today count the certifying patients; those of the golden files do not.
        content["reference"] = {"tp": 40, "fn": 3, "fp": 4, "tn": 50}
    if content.get("ensemble"):
        content["ensemble"]["methods"] = random_methods(rng, unit, pool)
    if name.startswith("strata"):
        rows = np.sort(sign * rng.choice(pool, (n_draws + 1, 2)), axis=1) * sign
        content["thresholds"], *content["bootstrap_thresholds"] = rows.tolist()
    if name.startswith("covariate"):
        random_cuts(content, rng, pool, n_draws)
    return content


def random_span(rng):
    low, middle, high = np.sort(rng.integers(1, 4, 3)).tolist()
    return {"smallest": low, "median": float(middle), "largest": high}


def random_methods(rng, unit, pool):
    size, levels = int(rng.integers(1, 20)), random_steps(rng, unit)[:-1]
    found = {}
    for _ in range(int(rng.integers(2, 5))):
        score, last = str(rng.choice(["score", "other"])), random_how(rng, unit)
        found[score, last] = {
            "score": score,
            "aggregation": [*levels, {"level": "patient", "how": last}],
            "weight": int(rng.integers(0, 4)),
            "reference": np.sort(rng.choice(pool, size)).tolist(),
            "score_range": [0.0, 1.0],
        }
    found["score", "mean"] = {
        **next(iter(found.values())),
        "score": "score",
        "aggregation": [*levels, {"level": "patient", "how": "mean"}],
        "weight": 1,
    }
    found["other", "max"] = {
        **found["score", "mean"],
        "score": "other",
        "aggregation": [*levels, {"level": "patient", "how": "max"}],
    }
    return list(found.values())


def random_cuts(content, rng, pool, n_draws):
    n, m = len(content["cuts"]), int(rng.integers(2, 12))
    ranks = np.concatenate([[0], np.cumsum(rng.integers(1, 4, m - 1))])
    thresholds = np.sort(rng.choice(pool, m))
    if content["direction"] == "le":
        thresholds = thresholds[::-1]
    content["scale"] = {"ranks": ranks.tolist(), "thresholds": thresholds.tolist()}
    drawn = (rng.random((n_draws + 1, n + 1)) * (ranks[-1] + 1)).round(int(rng.integers(0, 3)))
    content["draws"] = drawn[1:, :n].tolist()
    content["pooled"].update(rank=float(drawn[0, n]), draws=drawn[1:, n].tolist())
    anchors = np.unique(rng.choice(np.arange(20, 60, 0.5), n, replace=False))
    for i, cut in enumerate(content["cuts"]):
        cut["rank"] = float(drawn[0, i])
        if content["kind"] == "smooth":
            cut["at"] = float(anchors[i])


def freeze(content):
    content = {key: value for key, value in content.items() if key != "sha256"}
    kind = KINDS[content["schema"].removeprefix("steadycut.").partition("/")[0]]
    written = frozen_bytes({**content, "sha256": content_hash(content)})
    return kind.from_bytes(written)


def write_table(path, table):
    header = ",".join(table)
    rows = zip(*([quoted(cell) for cell in column] for column in table.values()), strict=True)
    text = "\n".join([header, *(",".join(row) for row in rows)]) + "\n"
    path.write_text(text, encoding="utf-8", newline="")


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set('",\n') else cell


# Comparison --------------------------------------------------------------------------------


def by_steadycut(rule, path, *, force=True):
    """The file that steadycut writes; patients who do not suit the rule are forced upon it."""
    more = {"unseen": "pooled"} if isinstance(rule, CovariateRule) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SteadycutWarning)
        return csv_bytes(rule.decide(str(path), force=force, **more))


def by_reader(rule_path, path, *, force=True):
    rule = rule_reader.load_rule(str(rule_path))
    table = rule_reader.read_table(str(path), rule)
    columns = rule_reader.decide(rule, table, "pooled", force=force)
    columns.pop("forced", None)  # of which Python warns instead
    return rule_reader.to_csv(columns)


def draw(rng, folder):
    """Write a random rule and a random table for it; its cuts fall on scores of the table."""
    unit = bool(rng.random() < 0.4)
    table = random_table(rng, unit)
    write_table(folder / "table.csv", table)
    raw = np.array([float(text) for text in table["score"]])
    content = random_content(rng, unit, np.append(raw, rng.normal(size=3)))
    rule = freeze(content)
    if isinstance(rule, FrozenRule) and rng.random() < 0.7:
        lines = by_steadycut(rule, folder / "table.csv").decode().splitlines()[1:]
        scores = np.array([float(line.rsplit(",", 3)[1]) for line in lines])
        near = np.concatenate([scores, np.nextafter(scores, np.inf), np.nextafter(scores, -np.inf)])
        content["threshold"] = float(rng.choice(near))
        content["bootstrap_thresholds"] = rng.choice(near, 9).tolist()
        rule = freeze(content)
    rule.save(folder / "rule.json")
    return rule


def same_decisions(n, rng, folder):
    failures = {"other decisions": 0, "other refusals": 0, "tracebacks": 0}
    for _ in range(n):
        rule = draw(rng, folder)
        expected = decided(partial(by_steadycut, rule, folder / "table.csv"))
        try:
            found = decided(partial(by_reader, folder / "rule.json", folder / "table.csv"))
        except Exception as error:  # noqa: BLE001
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            failures["tracebacks"] += 1
            continue
        failures["other refusals"] += found[0] != expected[0]
        failures["other decisions"] += found[1] != expected[1]
    return Row("rules and tables decided by the reader as by steadycut", n, failures)


def decided(call):
    """Whether patients were refused, and what was decided in the end."""
    try:
        return False, call(force=False)
    except (DeploymentRefused, rule_reader.Refused):
        return True, call(force=True)


def spoiled_tables(n, rng, folder):
    """Tables with changed bytes: refused by the reader, or decided as steadycut does."""
    failures = {"other decisions": 0, "decided though steadycut refuses": 0, "tracebacks": 0}
    for _ in range(n):
        rule = draw(rng, folder)
        path = folder / "table.csv"
        path.write_bytes(spoil(path.read_bytes(), rng))
        try:
            found = by_reader(folder / "rule.json", path)
        except rule_reader.Refused:
            continue
        except Exception as error:  # noqa: BLE001
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            failures["tracebacks"] += 1
            continue
        try:
            failures["other decisions"] += by_steadycut(rule, path) != found
        except SteadycutError as error:
            print(f"steadycut refuses: {error}", file=sys.stderr)
            failures["decided though steadycut refuses"] += 1
    return Row("spoiled tables decided otherwise by the reader", n, failures)


PIECES = (b'"', b",", b"\n", b"\r\n", b"\r", b" ", b"\t", b";", b"\x00", b"\xff", b"\xe2\x80\xa8")
PIECES = (
    *PIECES,
    b"nan",
    b"inf",
    b"1e999",
    b"1_0",
    b"NA",
    b"+-1",
    b"0x1",
    b"'",
    b"\xef\xbb\xbf",
    b"\n\n",
    b' "',
    b'"a" ',
    b' "p1"',
)


def spoil(text, rng):
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(text) + 1))
        end = at + int(rng.integers(0, 3))
        text = text[:at] + PIECES[int(rng.integers(len(PIECES)))] + text[end:]
    return text.replace(b"\n", b"\r\n") if rng.random() < 0.2 else text


def careless_tables(n, rng, folder):
    """Tables of careless text: the reader decides as steadycut does, or refuses.

    Cells and names of columns hold quotes, blanks, separators and line breaks.
    """
    failures = {"other decisions": 0, "decided though steadycut refuses": 0, "tracebacks": 0}
    rule_path, path = GOLDEN / "rule-ge.json", folder / "table.csv"
    rule = FrozenRule.load(rule_path)
    for _ in range(n):
        path.write_bytes(careless_text(rng))
        kind, found = outcome(lambda: by_reader(rule_path, path))
        failures["tracebacks"] += kind == "traceback"
        if kind == "decided":
            other, expected = outcome(lambda: by_steadycut(rule, path))
            failures["decided though steadycut refuses"] += other == "refused"
            failures["other decisions"] += other == "decided" and found != expected
            failures["tracebacks"] += other == "traceback"
    return Row("careless tables decided otherwise by the reader", n, failures)


def outcome(call):
    try:
        return "decided", call()
    except (rule_reader.Refused, SteadycutError):
        return "refused", None
    except Exception as error:  # noqa: BLE001
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return "traceback", None


def careless_text(rng):
    """Return a table of some patients, with a careless cell in every third one."""
    end, separator = str(rng.choice(["\n", "\n", "\r\n", "\r"])), str(rng.choice(list(",,;\t|")))
    third = rng.choice(["note", "a b", '"a b"', '" n"']) if rng.random() < 0.95 else "score"
    names = ["patient", "score", str(third)]
    lines = [separator.join(names)]
    for i in range(int(rng.integers(1, 7))):
        cells = [f"p{i % 3}", repr(round(float(rng.normal()), 2)), "x"]
        if rng.random() < 0.3:
            at, cell = int(rng.integers(3)), cells[int(rng.integers(3))]
            ways = [f' "{cell}"', f'"{cell}"', f'"{cell}" ', f" {cell}", f'{cell}"', f'"{cell}']
            ways += [f'"{cell}""{cell}"', f'"{cell}{separator}"', f'"{cell}{end}"', "", '""', " "]
            cells[at] = ways[int(rng.integers(len(ways)))]
        lines.append(separator.join(cells))
    return end.join([*lines, ""]).encode()


# Broken fields -----------------------------------------------------------------------------

# What a broken program, or a person with an editor, puts in the place of any value.
WRONG = (None, True, "", "x", "1", "mean", -1, 0, 1, 2, 2**60, -1.0, 0.0, 0.5, 1.0, 1e300, -0.0)
WRONG = (*WRONG, [], [None], [1.0, 0.0], [0.0, 1.0], [[1.0]], {}, {"x": 1}, 10**40, "é" * 300)


def broken_rules(n, rng, folder):
    """Rules of which one field was broken, with the right hash: the reader is never more lenient.

    It may only accept what steadycut accepts, and then both must decide alike. Neither may end with
    a traceback.
    """
    failures = {"decided though steadycut refuses": 0, "other decisions": 0, "tracebacks": 0}
    paths, table = sorted(GOLDEN.glob("*.json")), GOLDEN / "instances.csv"
    for _ in range(n):
        path = paths[int(rng.integers(len(paths)))]
        content = json.loads(path.read_bytes())
        where = break_field(content, rng)
        content["sha256"] = content_hash(content)
        (folder / "rule.json").write_bytes(frozen_bytes(content))
        kind = KINDS[path.stem.partition("-")[0]]
        ours, expected = outcome(lambda k=kind: by_steadycut(k.load(folder / "rule.json"), table))
        theirs, found = outcome(lambda: by_reader(folder / "rule.json", table))
        said = {
            "decided though steadycut refuses": theirs == "decided" and ours == "refused",
            "other decisions": theirs == ours == "decided" and found != expected,
            "tracebacks": "traceback" in (ours, theirs),
        }
        for way, failed in said.items():
            failures[way] += failed
        if any(said.values()):
            print(f"{path.stem}: {where}: {ours}, {theirs} by the reader", file=sys.stderr)
    return Row("rules with a broken field, by reader and package", n, failures)


def break_field(content, rng):
    """Break one field at any depth: remove, add, repeat, exchange or replace; return its name."""
    places = list(_places(content))
    inside, key = places[int(rng.integers(len(places)))]
    old, how = inside[key], int(rng.integers(8))
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(inside, list):
        inside.append(old)
    elif how == 1:
        inside[f"{key}x"] = old
    elif how == 2 and isinstance(old, int | float):
        inside[key] = (-old, int(old), float(old), str(old))[int(rng.integers(4))]
    elif how == 3:
        other, name = places[int(rng.integers(len(places)))]
        inside[key] = json.loads(json.dumps(other[name]))
    elif how == 4 and isinstance(old, list):
        old.reverse()
    else:
        inside[key] = WRONG[int(rng.integers(len(WRONG)))]
    return key


def _places(content):
    """Yield every container with a key or a number in it; of a long list only the first five."""
    keys = content if isinstance(content, dict) else range(min(len(content), 5))
    for key in keys:
        yield content, key
        if isinstance(content[key], dict | list):
            yield from _places(content[key])


def stage(*, quick: bool, seed: int) -> list[Row]:
    rng = np.random.default_rng(seed)
    n, slow = (300, 200) if quick else (5000, 2000)
    with tempfile.TemporaryDirectory() as place, one_database():
        folder = Path(place)
        return [
            changed_files(n, rng, folder),
            changed_signatures(n, rng, folder),
            judged_signatures(n, rng),
            careless_tables(200 if quick else 20_000, rng, folder),
            same_decisions(slow, rng, folder),
            spoiled_tables(slow, rng, folder),
            broken_rules(300 if quick else 20_000, rng, folder),
        ]
