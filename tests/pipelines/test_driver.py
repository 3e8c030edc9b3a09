"""Which files are found, which are skipped and why."""

import pytest

from steadycut.errors import BadFile, BadOption
from steadycut.pipelines.driver import FileKind, find_files, gather_files, process_files
from steadycut.pipelines.skipped import SkippedFile, refuse_if_nothing

NOTES = FileKind(name="note", title="text note", endings=frozenset({".txt"}))
SHEET = """note,patient,label,site
a,1,1,A
b,1,1,B
c,2,,A
d,2,0,
e,3,,A
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    for name in "abcdex":
        (tmp_path / "in" / f"{name}.txt").write_text(name)
    (tmp_path / "in" / "readme.md").write_text("no note")
    (tmp_path / "sheet.csv").write_text(SHEET)
    return tmp_path


def reasons(files):
    return {one.file[-5]: one.reason for one in files.skipped}


def names(files):
    return "".join(path.stem for path in files.paths)


def test_without_a_sheet_all_files_are_taken(folder):
    files = gather_files([str(folder / "in")], NOTES)
    assert names(files) == "abcdex"
    assert (files.skipped, files.sheet) == ([], {})


def test_files_of_a_patient_at_two_sites_and_files_without_a_row_are_skipped(folder):
    files = gather_files([str(folder / "in")], NOTES, folder / "sheet.csv")
    assert names(files) == "cde"
    two = "the sheet puts its patient at two sites."
    assert reasons(files) == {"a": two, "b": two, "x": "the sheet does not name it."}


def test_a_label_belongs_to_the_patient(folder):
    files = gather_files([str(folder / "in")], NOTES, folder / "sheet.csv", need_labels=True)
    assert names(files) == "cd"
    assert {reasons(files)[name] for name in "ex"} == {"the sheet has no label for it."}


def test_files_are_found_by_name_or_in_folders_and_taken_once(folder):
    one = folder / "in" / "readme.md"
    found = find_files([str(one), str(folder), str(one)], NOTES)
    assert [path.stem for path in found] == ["readme", *"abcdex"]
    with pytest.raises(BadOption, match=r"there is no text note at .* Give text note files"):
        find_files([str(folder / "nowhere")], NOTES)


def test_two_files_of_one_name_are_refused(folder):
    (folder / "a.txt").write_text("a")
    with pytest.raises(BadOption, match="notes must have different names; a occurs twice"):
        gather_files([str(folder)], NOTES)


def test_a_file_that_fails_is_skipped_and_the_others_go_on(folder):
    def process(path):
        if path.stem == "b":
            msg = "it is\n broken."
            raise BadFile(msg)
        return path.read_text()

    calls = []
    paths = [*gather_files([str(folder / "in")], NOTES).paths, folder / "gone.txt"]
    done, skipped = process_files(process, paths, NOTES, progress=lambda *call: calls.append(call))
    assert list(done.values()) == list("acdex")
    assert skipped[0] == SkippedFile(file=str(paths[1]), reason="it is broken.")
    assert "No such file" in skipped[1].reason
    assert calls[0] == ("notes", 0, 7)
    assert calls[-1] == ("notes", 6, 7)


def test_nothing_left():
    skipped = [SkippedFile(file="a", reason="bad."), SkippedFile(file="b", reason="bad.")]
    refuse_if_nothing(1, skipped, "slides")
    refuse_if_nothing(0, [], "slides")
    with pytest.raises(BadFile, match=r"none of 2 slides .* skipped a: bad\. \(and 1 more\)"):
        refuse_if_nothing(0, skipped, "slides")
