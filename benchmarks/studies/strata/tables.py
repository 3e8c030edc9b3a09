"""The tables of benchmarks/notes/strata.md, from benchmarks/results/strata.json.

Run: python benchmarks/studies/strata/tables.py
"""

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "results" / "strata.json"
METHODS = ("joint stable", "single stable", "joint erm", "single erm", "thres3")
PAIRS = (
    ("joint stable", "single stable"),
    ("joint stable", "single erm"),
    ("joint erm", "single erm"),
)


def main():
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    found = {(row["population"], row["size"], row["method"]): row for row in rows}
    cells = list(dict.fromkeys((row["population"], row["size"]) for row in rows))
    sizes = list(dict.fromkeys(size for _, size in cells))
    for key, digits in (("flips", 1), ("regret", 0)):
        print(f"\n| {key}, % | " + " | ".join(METHODS) + " |\n|" + "---|" * (len(METHODS) + 1))
        for name in dict.fromkeys(name for name, _ in cells):
            texts = [
                " / ".join(text(found.get((name, size, method)), key, digits) for size in sizes)
                for method in METHODS
            ]
            print(f"| {name} | " + " | ".join(texts) + " |")
    print()
    for key in ("flips", "between", "regret"):
        for one, other in PAIRS:
            values = [(found[*cell, one][key], found[*cell, other][key]) for cell in cells]
            less = sum(a < b - 1e-12 for a, b in values)
            more = sum(a > b + 1e-12 for a, b in values)
            print(f"{key}: {one} below {other} in {less} of {len(cells)} cells, above in {more}")


def text(row, key, digits):
    """A share in per cent; a dash where there is none."""
    return "-" if row is None or row[key] is None else f"{100 * row[key]:.{digits}f}"


if __name__ == "__main__":
    main()
