"""Let somebody else on the same machine interfere: swapped files, pipes, links, permissions.

    python -m benchmarks.trust.run doors [--quick] [--seed 0]

A link to a signed rule is changed to an unsigned one, and back, at every moment at which a command
opens it: with ``--verify`` the unsigned rule must never decide. Pipes that nobody writes to stand
in for every file that a command may open: it must end, well or with one line. Old results with all
kinds of permissions, and links to them, are replaced: nobody may read more than before. Files that
this user may not write, that hold something else, or that a stranger's link leads to, must stay.
"""

import contextlib
import csv
import io
import itertools
import json
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from benchmarks.trust.faults import ASK, CONTEXT, GREY, SERVED, elsewhere, quiet, write_rows
from benchmarks.trust.row import Row
from steadycut import rule_reader
from steadycut.documents.signature import make_key, sign

WRITTEN = {"apply": "decisions.csv", "audit": "audit.json", "monitor": "monitor.json"}
READER = "rule_reader.py"
SECONDS = 30


# Swapped files ---------------------------------------------------------------------------------


def rules(folder):
    """Make a signed and an unsigned rule, the key, and a table with an order."""
    rows = write_rows(folder / "rows.csv")
    first, *lines = rows.read_text(encoding="utf-8").splitlines()
    lines = [f"{first},day", *(f"{line},{i}" for i, line in enumerate(lines))]
    table = folder / "table.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, seed in (("signed", "1"), ("unsigned", "2")):
        assert quiet(["fit", rows, *ASK, "--seed", seed, "--out", folder / name])[0] == 0
    make_key(folder / "key")
    sign(folder / "signed" / "rule.json", folder / "key")
    return table


def swap_run(command, link, targets, pattern, argv, said):
    """Run a command; before the n-th time that the link is opened it leads to ``pattern[n]``."""
    moments = iter(pattern)

    def swap(event, given):
        if event == "open" and str(given[0]) == str(link):
            new = link.with_suffix(".new")
            new.symlink_to(targets[next(moments, pattern[-1])])
            new.replace(link)

    sys.addaudithook(swap)
    said.send(read_alone(argv) if command == READER else quiet([command, *argv]))


def read_alone(argv):
    """Run the reader in this process; return its exit code and what it said on stderr."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = rule_reader.main([str(one) for one in argv])
    return code, said.getvalue()


def decided_by(path):
    """Return the hash of the rule that a result was made with; None without a result."""
    if not path.exists():
        return None
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return next(csv.DictReader(file))["rule_sha256"]
    content = json.loads(path.read_bytes())
    return content.get("rule_sha256") or content["frozen_rule"]["sha256"]


def swapped(folder, length, commands=(*WRITTEN, READER)):
    """Try every order of signed and unsigned at the moments at which a rule is opened."""
    CONTEXT.set_forkserver_preload(SERVED)
    table = rules(folder)
    targets = [folder / name / "rule.json" for name in ("signed", "unsigned")]
    unsigned = json.loads(targets[1].read_bytes())["sha256"]
    link = folder / "rule.json"
    shutil.copy(f"{targets[0]}.sig", f"{link}.sig")
    tried, let_in, hangs = 0, 0, 0
    for command, pattern in itertools.product(commands, itertools.product((0, 1), repeat=length)):
        link.unlink(missing_ok=True)
        link.symlink_to(targets[pattern[0]])
        out = folder / f"out-{tried}"
        out.mkdir()
        file = out / WRITTEN.get(command, "decisions.csv")
        more = {"audit": ["--label", "label"], "monitor": ["--order", "day"]}.get(command, [])
        place = file if file.suffix == ".csv" else out
        argv = [link, table, "--verify", folder / "key.pub", *more, "--out", place]
        code, _ = elsewhere(swap_run, command, link, targets, pattern, argv)
        tried += 1
        let_in += decided_by(file) == unsigned
        hangs += code is None
    return Row(
        "a signed rule that is swapped while it is opened, with --verify",
        tried,
        {"decided by the unsigned rule": let_in, "hangs": hangs},
    )


# Pipes -----------------------------------------------------------------------------------------


def pipe_places(folder):
    """Return commands with the place of a pipe: every file that a command may open by its name."""
    table, study = folder / "table.csv", folder / "signed"
    rule, key = study / "rule.json", folder / "key"
    out, temporary = Path("out"), Path("temporary")
    fit = ["fit", table, *ASK, "--out", out]
    apply = ["apply", rule, table, "--out", out / "decisions.csv"]
    monitor = ["monitor", rule, table, "--order", "day", "--out", out]
    verify = ["--verify", f"{key}.pub"]
    checkpoint = out / "steadycut-checkpoint"
    reader = [READER, rule, table, "--out", out / "decisions.csv"]
    return [
        *((one, temporary / "steadycut-work-x" / ".lock") for one in (fit, apply, monitor)),
        *((one, out / ".steadycut-0.part") for one in (fit, apply, monitor)),
        *((fit, out / name) for name in ("rule.json", "study.json", "report.html")),
        *((monitor, out / name) for name in ("monitor.json", "monitor.html")),
        (apply, out / "decisions.csv"),
        *(([*fit, *more], checkpoint / ".steadycut-lock") for more in ([], ["--resume"])),
        *(([*fit, "--resume"], checkpoint / name) for name in ("checkpoint.json", "bucket-1.npz")),
        *((["--log", "log", *one], Path("log")) for one in (fit, apply)),
        *(([one[0], "pipe", *one[2:]], Path("pipe")) for one in (apply, monitor, reader)),
        *(([*one[:2], "pipe.csv", *one[3:]], Path("pipe.csv")) for one in (apply, reader)),
        (["fit", "folder/*.csv", *ASK, "--out", out], Path("folder/pipe.csv")),
        (["fit", "folder", *ASK, "--out", out], Path("folder/pipe.parquet")),
        *(([one[0], "r.json", *one[2:], *verify], Path("r.json.sig")) for one in (apply, reader)),
        *(([*one, "--verify", "pipe.pub"], Path("pipe.pub")) for one in (apply, monitor, reader)),
        ([*fit, "--remember-patients", "--patient-key", "pipe"], Path("pipe")),
        (["strata", table, *ASK, "--costs", "pipe.csv", "--out", out], Path("pipe.csv")),
        (["strata", table, *ASK, *GREY, "--out", out], out / "strata.json"),
        (["report", "pipe.json", "--out", out / "page.html"], Path("pipe.json")),
        (["report", out, "--format", "md"], out / "study.json"),
        (["report", study, "--out", out / "page.html"], out / "page.html"),
        (["sign", rule, "--key", "pipe", "--out", out / "sig"], Path("pipe")),
        (["sign", rule, "--key", key, "--out", out / "sig"], out / "sig"),
        (["verify", rule, "--key", f"{key}.pub", "--signature", "pipe"], Path("pipe")),
        (["keygen", "pipe"], Path("pipe")),
        (["score-ecg", "folder", "--sheet", "pipe.csv", "--out", out], Path("pipe.csv")),
        (["score-ecg", "folder", "--sheet", table, "--out", out], Path("folder/r.hea")),
        (["apply", rule, table, "--out", "d.parquet"], Path("d.parquet")),
        (["score-ecg", "folder", "--sheet", table, "--out", out], out / "segments.parquet"),
    ]


def piped_run(folder, argv, said):
    """Run a command in a folder, with a temporary folder in it."""
    os.chdir(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "temporary")
    said.send(read_alone(argv[1:]) if argv[0] == READER else quiet(argv))


def pipes(folder, cases=slice(None)):
    """Run each command with a pipe, and with a link to a pipe, in the place of one of its files."""
    CONTEXT.set_forkserver_preload(SERVED)
    rules(folder)
    hangs = faults = tried = 0
    for argv, place in pipe_places(folder)[cases]:
        for kind in ("pipe", "link"):
            work = folder / f"work-{tried}"
            at = work / place
            for made in ("temporary", "out", "folder"):
                (work / made).mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "signed" / "rule.json", work / "r.json")
            at.parent.mkdir(parents=True, exist_ok=True)
            os.mkfifo(work / "lonely" if kind == "link" else at)
            if kind == "link":
                at.symlink_to(work / "lonely")
            code, said = elsewhere(piped_run, work, argv, patience=SECONDS)
            tried += 1
            hangs += said == "hangs"
            wrong = code not in (0, 2) or "Traceback" in said or "fault of steadycut" in said
            faults += wrong and said != "hangs"
            if wrong:
                print(f"{argv} with {place} ({kind}): {code} {said}", file=sys.stderr)
    return Row(
        "pipes in the place of every file that a command opens",
        tried,
        {"hangs": hangs, "tracebacks": faults},
    )


# Permissions and links -------------------------------------------------------------------------


def replaced(folder, modes):
    """Replace old results of every mode, some of them behind a link."""
    table = rules(folder)
    rule = folder / "signed" / "rule.json"
    tried = widened = links = 0
    for mode, linked in itertools.product(modes, (False, True)):
        for command in ("apply", READER):
            place = folder / f"place-{tried}"
            place.mkdir()
            real = place / "real.csv"
            real.touch()
            real.chmod(mode)
            out = place / "link.csv" if linked else real
            if linked:
                out.symlink_to("real.csv")
            argv = [rule, table, "--out", out]
            read_alone(argv) if command == READER else quiet([command, *argv])
            tried += 1
            widened += stat.S_IMODE(real.stat().st_mode) != mode or real.stat().st_size == 0
            links += linked and not out.is_symlink()
    return Row(
        "old results of every permission, replaced, also behind links",
        tried,
        {"changed permissions": widened, "lost links": links},
    )


# Files of others -------------------------------------------------------------------------------

NOBODY, GROUP = 65534, 4242
CONTENTS = ("nothing", "decisions", "notes")


def other_run(user, argv, said):
    """Run a command or the reader, perhaps as another user, who may not see Python's modules."""
    run = read_alone if argv[0] == READER else lambda rest: quiet([argv[0], *rest])
    if user:
        run([*argv[1:-1], f"{argv[-1]}.first.csv"])
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    said.send(run(argv[1:]))


def may_write(user, owner, mode):
    return user == 0 or bool(mode & (stat.S_IWUSR if owner == user else stat.S_IWOTH))


def of_others(folder, modes):
    """Write where a file of another owner, group or content is, or a link of somebody else.

    Nothing may be replaced that this user may not write, that is not a file of decisions, or that
    a stranger's link leads to. Nobody may read more than before. Only the root user can try this.
    """
    CONTEXT.set_forkserver_preload(SERVED)
    table = rules(folder)
    folder.chmod(0o755)
    rule = folder / "signed" / "rule.json"
    assert read_alone([rule, table, "--out", folder / "decisions.csv"])[0] == 0
    texts = {
        "nothing": b"",
        "decisions": (folder / "decisions.csv").read_bytes(),
        "notes": b"note,rule_sha256\nkeep,this\n",
    }
    users = (0, NOBODY) if os.geteuid() == 0 else ()
    links = (None, *users)
    cases = itertools.product(("apply", READER), users, users, modes, CONTENTS, links)
    tried = overwritten = widened = silent = 0
    for command, user, owner, mode, content, linker in cases:
        place = folder / f"others-{tried}"
        place.mkdir()
        real, link = place / "real.csv", place / "shared" / "link.csv"
        real.write_bytes(texts[content])
        os.chown(real, owner, GROUP)
        real.chmod(mode)
        link.parent.mkdir()
        place.chmod(0o777)
        link.parent.chmod(0o1777)
        os.chown(link.parent, 1, -1)
        if linker is not None:
            link.symlink_to(real)
            os.chown(link, linker, -1, follow_symlinks=False)
        argv = [command, rule, table, "--out", real if linker is None else link]
        code, _ = elsewhere(other_run, user, argv)
        silent += code not in (0, 2)
        stranger = linker is not None and linker != user
        forbidden = stranger or content == "notes" or not may_write(user, owner, mode)
        tried += 1
        overwritten += forbidden and real.read_bytes() != texts[content]
        state = real.stat()
        group_rights = stat.S_IMODE(state.st_mode) & stat.S_IRWXG
        widened += stat.S_IMODE(state.st_mode) & ~mode != 0
        widened += state.st_gid != GROUP and group_rights != 0
    return Row(
        "files and links of others, of other content, or read-only",
        tried,
        {"overwritten": overwritten, "more rights than before": widened, "tracebacks": silent},
    )


def stage(*, quick, seed):
    del seed
    modes = range(0o600, 0o1000, 0o64 if quick else 5)
    for make in (
        lambda folder: swapped(folder, 2 if quick else 4),
        pipes,
        lambda folder: replaced(folder, modes),
        lambda folder: of_others(folder, [0o660] if quick else [0o600, 0o660, 0o644, 0o666]),
    ):
        with tempfile.TemporaryDirectory() as place:
            yield make(Path(place))
