"""What the rows of a table are worth, and strata of its patients."""

import numpy as np
import pytest

from steadycut.core.aggregate.aggregators import sort_segments
from steadycut.core.aggregate.clusters import cluster_sums, clusters_from
from steadycut.documents.parts import ClustersPart
from tests.cli.commands import FIT, SITES, make_rows, run_command, write_rows


def expected_clusters(rows, column=3):
    names = sorted({row[1] for row in rows})
    patient = np.array([names.index(row[1]) for row in rows])
    labels = np.zeros(len(names), dtype=np.int8)
    labels[patient] = [row[5] for row in rows]
    return clusters_from(
        cluster_sums(sort_segments(patient, np.array([row[column] for row in rows]))), labels
    )


@pytest.mark.parametrize("levels", [[], ["--level", "slide:max"]])
def test_a_study_says_what_its_rows_are_worth(table, tmp_path, capsys, levels):
    """Levels do not matter: a row is a row."""
    ran = run_command(capsys, "fit", table, *FIT, *SITES, *levels, "--json", "--out", tmp_path)
    north = [row for row in make_rows() if row[0] == "north"]
    assert ran.json["instances"] == ClustersPart.of(expected_clusters(north)).to_plain()
    assert ran.json["instances"]["rows"] == 360
    assert ran.json["instances"]["icc"] > 0.5


def test_the_order_of_rows_does_not_matter(table, tmp_path, capsys):
    turned = write_rows(tmp_path / "t.csv", make_rows()[::-1])
    plain, other = (
        run_command(capsys, "fit", one, *FIT, "--json", "--out", tmp_path / "o")
        for one in (table, turned)
    )
    assert plain.json["instances"] == other.json["instances"]


def test_one_line_says_it(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", "--verbose", table, *FIT, *SITES, "--out", tmp_path)
    assert "\nInstances: 360 rows of 60 patients are worth " in ran.out
    assert "independent ones (design effect " in ran.said


def test_one_row_a_patient_says_nothing(tmp_path, capsys):
    path = write_rows(tmp_path / "t.csv", make_rows()[::6])
    ran = run_command(capsys, "fit", path, *FIT, "--out", tmp_path / "o")
    assert "Instances" not in ran.out
    ran = run_command(capsys, "fit", path, *FIT, "--json", "--out", tmp_path / "o")
    assert "instances" not in ran.json


def test_strata_change_the_draws_and_nothing_else(table, tmp_path, capsys):
    found = {}
    for option in ("none", "label", "site"):
        given = [] if option == "none" else ["--stratify", option]
        sites = ["--site", "site"]
        out = ["--json", "--out", tmp_path / option]
        ran = run_command(capsys, "fit", table, *FIT, *sites, *given, *out)
        found[option] = ran.json
        assert ran.json["options"]["stratify"] == option
    assert len({study["threshold"] for study in found.values()}) == 1
    assert len({str(study["bootstrap_thresholds"]) for study in found.values()}) == 3


def test_sites_without_a_column_are_refused_before_the_table_is_read(tmp_path, capsys):
    given = ["--stratify", "site", "--out", tmp_path / "o"]
    ran = run_command(capsys, "fit", "no-such.csv", *FIT, *given)
    assert ran.code == 2
    assert "--stratify site needs --site COL" in ran.err
    assert not (tmp_path / "o").exists()
