"""The sheet of patients, labels and sites."""

from pathlib import Path

from steadycut.pipelines.sheet import Origin, at_two_sites


def test_files_of_a_patient_at_two_sites_are_left_out():
    sheet = {
        "a": Origin(patient="1", site="A"),
        "b": Origin(patient="1", site="B"),
        "c": Origin(patient="2", site="A"),
        "d": Origin(patient="2"),
    }
    found = at_two_sites([Path(f"{name}.tif") for name in "abcdx"], sheet)
    assert [one.file for one in found] == ["a.tif", "b.tif"]
    assert "two sites" in found[0].reason
