"""Nothing that steadycut leaves names a patient, a path or a machine, or is live."""

import pytest

from benchmarks.trust import leaks


@pytest.fixture(scope="module")
def searched():
    """The row of one search, and the exit code of each command that it ran."""
    codes, really = [], leaks.run_quietly

    def run(arguments):
        done = really(arguments)
        codes.append(done[0])
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaks, "run_quietly", run)
        return leaks.leaks(seed=0), codes


def test_no_patient_path_host_or_user_is_in_any_file_or_stream(searched):
    row, _ = searched
    assert row.failed == 0, row
    assert row.tried > 60


def test_every_command_of_the_search_does_its_work(searched):
    """A search of refusals alone would find nothing."""
    _, codes = searched
    done = len(leaks.commands(""))
    refused = len(leaks.mistakes("")) + len(leaks.mistakes_of_few(""))
    assert codes == [0] * done + [2] * refused


def test_hostile_names_and_values_stay_texts():
    rows = leaks.hostile((), seed=0)
    assert [row.failed for row in rows] == [0, 0, 0], rows
    assert [row.tried for row in rows] == [4, 1, 7]


PAGE = "<p>a</p><pre>{}</pre><script>x</script>"


@pytest.mark.parametrize(
    "page",
    [
        "<p>a</p><b></b><pre>{}</pre><script>x</script>",
        "<p onclick='x'>a</p><pre>{}</pre><script>x</script>",
        "<p>a</p><pre>{}</pre><script>x</script><script></script>",
        "<p>a</p><pre>{}</pre><script>y</script>",
        "<p>a</p><pre>{</pre><script>x</script>",
    ],
)
def test_what_is_injected_is_seen(page):
    assert leaks.injects(page, PAGE)
    assert not leaks.injects(PAGE.replace("a", "&lt;b&gt;"), PAGE)


def test_live_cells_and_broken_files_are_seen():
    assert leaks.runs("a,b\n1,=1+1\n", "")
    assert not leaks.runs("a,b\n-1,'=1+1\n", "")
    assert leaks.broken("{", "{}")
    assert leaks.broken('{"a": 1}', "{}")
    assert leaks.injects_markdown("a <b>", "")
    assert not leaks.injects_markdown(r"a \<b>", "")
    assert leaks.count_marks(b"x qxzid y qxzhost", but=set()) == {
        "patients named": 1,
        "host or user": 1,
    }
