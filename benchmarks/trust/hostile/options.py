"""Every option of every command, found in the command's own tree, with values that nobody means."""

import io
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import typer

from benchmarks.trust.hostile.watch import ANSWER, HANG, LINES, REFUSED, TRACEBACK, Hang, watchdog
from steadycut.cli.main import app, run

VALUES = (
    *("", "-", "--", "ü☃", "x" * 5000, "\x00", "a\nb", "\udcff", "%s", "{}", "'; drop table t; --"),
    *("-1", "0", "1", "2", "0.5", "nan", "inf", "-inf", "1e999", "1e-999", "1e308", "5e-324"),
    *(f"{10**30}", f"-{10**30}", "1,2", "0.9,0.1", ",", ":", "a:b", "a:max", "true", "None", "[]"),
    *(".", "..", "pipe", "device", "no/such/file", "quantile:nan", "top-k:0", "top-k:1e9"),
    *(f"top-k:{10**30}", "fraction-above:inf", "trimmed-mean:0.5", "sensitivity:nan", "erm@"),
    *("sensitivity:2", "f1@sensitivity:0.9@", "s3://", "*", "[", "~", "\\", "1e6", "0x10", "1_0"),
)
# One serves until it is stopped; the other has no table.
LEFT_OUT = frozenset({"app", "demo"})
ROWS = "patient,label,score,site,when\n" + "".join(
    f"p{i},{i % 2},{(i * 7 % 20) / 10 + i % 2},{'AB'[i % 3 == 0]},{i}\n" for i in range(40)
)
COLUMNS = ["--patient", "patient", "--score", "score", "--label", "label"]
FEW = ["--bootstrap", "2"]
GOOD = {
    "fit": ["t.csv", *COLUMNS, *FEW, "--out", "out"],
    "apply": ["rule.json", "t.csv", "--out", "out.csv"],
    "audit": ["rule.json", "t.csv", "--out", "out"],
    "monitor": ["rule.json", "t.csv"],
    "compare": ["t.csv", *COLUMNS, *FEW, "--site", "site", "--internal", "A", "--external", "B"],
    "covariate": ["t.csv", *COLUMNS, *FEW, "--by", "site", "--out", "out"],
    "strata": ["t.csv", *COLUMNS, *FEW, "--out", "out"],
    "score-slides": ["t.csv", "--model", "model.onnx", "--out", "out"],
    "score-ecg": ["t.csv", "--out", "out"],
    "report": ["study.json"],
}


def prepare(folder):
    """Write a table and a rule into a folder of its own, and go there.

    Whatever is written lands in or just above it, and devices are reached by a link only: a run
    with all rights must not harm the machine.
    """
    inner = folder / "inner"
    inner.mkdir(parents=True)
    os.chdir(inner)
    os.mkfifo("pipe")
    Path("device").symlink_to("/dev/zero")
    Path("t.csv").write_text(ROWS, encoding="utf-8")
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        code = run(["fit", "t.csv", *COLUMNS, *FEW, "--out", "."])
    assert code == 0


def calls():
    """Yield (command, its arguments) for every option and argument with every value."""
    for path, command in _commands(typer.main.get_command(app)):
        good = GOOD.get(path[0], [])
        for parameter in command.params:
            yield from ((path, call) for call in _with_values(parameter, good))


def _commands(command, path=()):
    for name in getattr(command, "commands", {}):
        if name not in LEFT_OUT:
            yield from _commands(command.get_command(None, name), (*path, name))
    if not hasattr(command, "commands"):
        yield path, command


def _with_values(parameter, good):
    if parameter.param_type_name == "argument":
        return ([value, *good[1:]] for value in VALUES)
    if parameter.is_flag:
        return ([*good, parameter.opts[0]] for _ in range(1))
    return ([*good, parameter.opts[0], value] for value in VALUES)


def judge_call(arguments):
    """Run a command; return how it ended and what it said."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with watchdog(), redirect_stdout(out), redirect_stderr(err):
            code = run(arguments)
    except Hang:
        return HANG, ""
    except BaseException as error:  # noqa: BLE001
        return TRACEBACK, repr(error)
    said = err.getvalue()
    if code == 1 or "Traceback" in said:
        return TRACEBACK, said
    if code == 2 and (said.count("\n") != 1 or not said.startswith("steadycut: ")):
        return LINES, said
    return (REFUSED if code else ANSWER), said
