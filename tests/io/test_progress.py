"""Progress on a terminal and in a log: what is written, and when."""

import io

import pytest

from steadycut.io.progress import ERASE, ProgressOnStream, in_words, progress_on_stderr


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def told(stream, calls):
    """What is written when calls (second, done, total) come at these seconds."""
    clock = Clock()
    tell = ProgressOnStream(stream, clock)
    for second, done, total in calls:
        clock.now = 100.0 + second
        tell("refits", done, total)
    tell.clear()
    return stream.getvalue()


def test_a_terminal_has_one_line_that_goes_in_the_end():
    written = told(Terminal(), [(0, 0, 4), (0.05, 1, 4), (2, 2, 4), (4, 4, 4)])
    lines = written.split(ERASE)
    assert lines == ["", "refits: 0 of 4", "refits: 2 of 4, about 2 s left", "refits: 4 of 4", ""]
    assert "\n" not in written


def test_a_log_has_plain_lines_now_and_then():
    calls = [(second, second, 100) for second in range(101)]
    assert told(io.StringIO(), calls).splitlines() == [
        "steadycut: refits: 10 of 100, about 2 min left",
        "steadycut: refits: 40 of 100, about 1 min left",
        "steadycut: refits: 70 of 100, about 30 s left",
        "steadycut: refits: 100 of 100",
    ]


def test_a_quick_run_leaves_nothing_in_a_log():
    assert told(io.StringIO(), [(second, second, 9) for second in range(10)]) == ""


def test_what_was_done_before_does_not_count_for_the_pace():
    assert told(io.StringIO(), [(0, 90, 100), (20, 92, 100)]).endswith("about 1 min left\n")


def test_another_text_begins_anew():
    stream, clock = io.StringIO(), Clock()
    tell = ProgressOnStream(stream, clock)
    tell("reading", 0, 10)
    clock.now += 20
    tell("refits", 5, 10)
    assert stream.getvalue() == "steadycut: refits: 5 of 10\n"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "60 s"),
        (60, "1 min"),
        (3599, "60 min"),
        (7260, "2 h 1 min"),
    ],
)
def test_durations_in_words(seconds, words):
    assert in_words(seconds) == words


def test_stderr_is_left_clean(capsys):
    with progress_on_stderr() as tell:
        tell("refits", 1, 2)
    assert capsys.readouterr() == ("", "")
