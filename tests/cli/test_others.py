"""An audit at all sites that the rule was not made on, each judged by itself."""

import json

import numpy as np
import pandas as pd
import pytest

from steadycut import FrozenRule
from steadycut.errors import BadOption
from tests.cli.commands import run_command
from tests.said import said

FIT = ["--patient", "id", "--score", "s", "--label", "y", "--site", "where", "--bootstrap", "20"]
AUDIT = ["--label", "y", "--site", "where", "--external", "others"]


@pytest.fixture
def place(tmp_path):
    """Four hospitals; the last one has another scale, so that nobody is found there."""
    rng = np.random.default_rng(1)
    labels = np.arange(800) % 2
    sites = np.repeat(["A", "B", "C", "D"], 200)
    scores = rng.normal(size=800) + 2.5 * labels - 6 * (sites == "D")
    table = pd.DataFrame({"id": np.arange(800), "s": scores, "y": labels, "where": sites})
    table["day"] = table["id"]
    table.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path


def fitted(place, capsys, *internal):
    out = place / "fit"
    names = ["--internal", ",".join(internal)] if internal else []
    assert run_command(capsys, "fit", place / "t.csv", *FIT, *names, "--out", out).code == 0
    return out / "rule.json"


def test_others_are_all_but_the_sites_of_the_rule(place, capsys):
    rule = fitted(place, capsys, "A", "B")
    out = place / "audit"
    assert run_command(capsys, "audit", rule, place / "t.csv", *AUDIT, "--out", out).code == 0
    found = json.loads((out / "audit.json").read_bytes())
    assert found["n_patients"] == found["data"]["rows"] == 400
    assert [one["value"] for one in found["groups"]] == ["C", "D"]
    assert not any("site" in warning for warning in found["warnings"])


def test_a_good_verdict_ends_with_a_command_to_type(place, capsys):
    rule = fitted(place, capsys, "A").rename(place / "my rule.json")
    asked = ["--label", "y", "--site", "where", "--external", "B", "--margin", "0.25"]
    ran = run_command(capsys, "audit", rule, place / "t.csv", *asked, "--out", place / "audit")
    assert f"Next: steadycut monitor '{rule}' TABLE --order COL" in ran.said
    typed = ["monitor", rule, place / "t.csv", "--order", "day", "--site", "where"]
    assert run_command(capsys, *typed, "--external", "B").code == 0
    # Files name no folder.
    found = json.loads((place / "audit" / "audit.json").read_bytes())
    assert said(found).next_step.endswith("steadycut monitor rule.json TABLE --order COL")


def test_a_pooled_audit_does_not_hide_a_failing_site(place, capsys):
    rule = fitted(place, capsys, "A")
    ran = run_command(capsys, "audit", rule, place / "t.csv", *AUDIT, "--out", place / "audit")
    found = json.loads((place / "audit" / "audit.json").read_bytes())
    by_site = {one["value"]: one["verdict"]["decision"] for one in found["groups"]}
    assert by_site["D"] in {"adapt", "do not use"}
    assert by_site["C"] in {"use", "use and watch"}
    assert found["verdict"]["decision"] in {"adapt", "do not use"}
    assert found["worst_group"] == {"column": "site", "value": "D"}
    assert f"C {by_site['C']}; D {by_site['D']}" in ran.out
    page = (place / "audit" / "audit.html").read_text(encoding="utf-8")
    assert "Every site and group by itself" in page


def test_groups_are_judged_by_themselves(place, capsys):
    rule = fitted(place, capsys, "A")
    table = pd.read_csv(place / "t.csv")
    table["number"] = np.arange(800)
    table["sex"] = np.where(table.index % 4 < 2, "f", "m")
    table[table["where"] == "B"].to_csv(place / "b.csv", index=False)
    asked = ["--label", "y", "--group", "sex", "--json", "--out", place / "audit"]
    found = run_command(capsys, "audit", rule, place / "b.csv", *asked).json
    assert [(one["column"], one["value"]) for one in found["groups"]] == [
        ("sex", "f"),
        ("sex", "m"),
    ]
    assert sum(one["n_patients"] for one in found["groups"]) == 200
    many = ["--label", "y", "--group", "number", "--out", place / "many"]
    ran = run_command(capsys, "audit", rule, place / "b.csv", *many)
    assert ran.code == 2
    assert "--group number has 200 different values" in ran.err


def test_no_other_site_and_no_known_site_are_one_clear_line(place, capsys):
    everybody = fitted(place, capsys, "A", "B", "C", "D")
    ran = run_command(capsys, "audit", everybody, place / "t.csv", *AUDIT, "--out", place / "a")
    assert ran.code == 2
    assert "every site in 'where' was used to make the rule" in ran.err
    with pytest.raises(BadOption, match="external='others' needs site"):
        FrozenRule.load(everybody).request(others=True)
    assert not (place / "a").exists()


@pytest.mark.parametrize(
    ("n_bad", "named"),
    [
        (2, {"site 'B0' and 'B1'", "site 'B1' and 'B0'"}),
        (8, {"and 3 more"}),
    ],
)
def test_every_failing_site_is_named(place, capsys, n_bad, named):
    rule = fitted(place, capsys, "A")
    table = pd.read_csv(place / "t.csv")
    good = table[table["where"] == "B"].assign(where="good")
    bad = [
        good.assign(id=f"{i}-" + good["id"].astype(str), where=f"B{i}", y=1 - good["y"])
        for i in range(n_bad)
    ]
    pd.concat([good, *bad]).to_csv(place / "b.csv", index=False)
    asked = ["--label", "y", "--site", "where", "--out", place / "audit"]
    ran = run_command(capsys, "audit", rule, place / "b.csv", *asked)
    found = json.loads((place / "audit" / "audit.json").read_bytes())
    for text in (said(found).verdict, said(found).next_step):
        assert any(name in text for name in named)
    assert said(found).next_step.startswith("Next: do not use it for site 'B")
    assert "adapt it to each of them" in said(found).next_step
    assert len(ran.out.splitlines()) <= 12
    # A line of few sites; many that fail are named in the first sentence only, and on the page.
    assert ("  Groups " in ran.out) == (n_bad == 2)
    page = (place / "audit" / "audit.html").read_text(encoding="utf-8")
    assert all(f"B{i}" in page for i in range(n_bad))


def test_sites_that_fail_are_named_where_all_patients_together_still_gain(place, capsys):
    """The cut-off is useful for all together, but not as before: one site works, two do not."""
    rule = fitted(place, capsys, "A")
    table = pd.read_csv(place / "t.csv")
    low = table[table["where"] == "D"]
    more = low.assign(id="e" + low["id"].astype(str), where="E")
    pd.concat([table[table["where"] == "C"], low, more]).to_csv(place / "b.csv", index=False)
    asked = ["--label", "y", "--site", "where", "--json", "--out", place / "audit"]
    found = run_command(capsys, "audit", rule, place / "b.csv", *asked).json
    assert (found["verdict"]["useful"], found["verdict"]["decision"]) == ("yes", "adapt")
    assert said(found).next_step.startswith("Next: do not use it for site 'D' and 'E' as it is.")


def test_long_names_of_many_sites_keep_the_text_short(tmp_path, capsys):
    rng = np.random.default_rng(2)
    labels = np.arange(1200) % 2
    names = [f"University hospital of a town with a very long name, ward {n}" for n in range(20)]
    sites = np.repeat([name.replace(",", "") for name in names], 60)
    scores = rng.normal(size=1200) + 3 * labels - 3 * (np.arange(1200) >= 240)
    table = pd.DataFrame({"id": np.arange(1200), "s": scores, "y": labels, "where": sites})
    table.to_csv(tmp_path / "t.csv", index=False)
    rule = fitted(tmp_path, capsys, sites[0], sites[60])
    ran = run_command(capsys, "audit", rule, tmp_path / "t.csv", *AUDIT, "--out", tmp_path / "a")
    assert len(ran.out.splitlines()) <= 12
    assert "it fails for site " in ran.said
    assert "and 15 more (see --verbose)" in ran.said
    long = run_command(
        capsys, "audit", "--verbose", rule, tmp_path / "t.csv", *AUDIT, "--out", tmp_path / "b"
    )
    assert all(f"site {name}" in long.said for name in np.unique(sites)[2:])
