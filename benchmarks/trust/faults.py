"""Break what a run stands on: the old result stays, or the new one is whole.

    python -m benchmarks.trust.run faults [--quick] [--seed 0]

An error of the disk, or a kill, at every single file operation of every command that writes; a
full disk and a folder that may not be written to, as the system has them; two runs into one
folder; workers killed in the middle of a refit; kills at random times, and a run that resumes.

A result is *lost* if a file is neither the old nor the new one, if the first file of a folder is
new beside others that are not, or if anything unfinished stays behind. A *traceback* is anything
but one line that names the cause.
"""

import contextlib
import errno
import io
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.faults.kill_and_resume import WAYS, kill_and_resume
from benchmarks.trust.failing_disk import failing_disk
from benchmarks.trust.row import Row

CONTEXT = multiprocessing.get_context("forkserver")
SERVED = ["steadycut.cli.main", "steadycut.cli.fit", "duckdb", "pyarrow.parquet", "jinja2"]
ERRORS = (errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES)
NOBODY = 65534
PATIENCE = 300
ASK = ["--patient", "patient", "--score", "score", "--label", "label", "--bootstrap", "20"]
INSIDE = ["--internal", "A", "--external", "B"]
GREY = ["--costs", "0,0.2,1;4,1,0"]


def write_rows(path, seed=0, n_patients=60):
    rng = np.random.default_rng(seed)
    lines = ["patient,score,label,sex,site"]
    for i in range(n_patients):
        centre = rng.normal() + 2 * (i % 2)
        more = f"{i % 2},{'fm'[i // 2 % 2]},{'AB'[i // 4 % 2]}"
        lines += [f"p{i},{centre + d},{more}" for d in (-0.1, 0.1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def commands(folder):
    """Every command that writes: its arguments but for the place, and the name of its first file.

    The rule and the study that some of them read are made here.
    """
    rows = str(write_rows(folder / "rows.csv"))
    other = str(write_rows(folder / "other.csv", seed=1))
    made = folder / "made"
    assert quiet(["fit", rows, *ASK, "--out", str(made)])[0] == 0
    rule, study = str(made / "rule.json"), str(made / "study.json")
    # The old results are those of another study.
    return {
        "fit": (["fit", rows, *ASK, "--overwrite"], ""),
        "audit": (["audit", rule, other, "--label", "label", "--overwrite"], ""),
        "apply": (["apply", rule, other, "--overwrite"], "decisions.csv"),
        "strata": (["strata", rows, *ASK, *GREY, "--overwrite"], ""),
        "covariate": (["covariate", rows, *ASK, "--covariate", "sex", "--overwrite"], ""),
        "compare": (["compare", rows, *ASK, "--site", "site", *INSIDE], ""),
        "report": (["report", study], "page.html"),
    }


def quiet(argv):
    """Run a command in this process; return its exit code and what it said on stderr."""
    from steadycut.cli.main import run

    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = run([str(one) for one in argv])
    return code, said.getvalue()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class Bench:
    """A command, its old result (of another seed or nothing) and the new one."""

    def __init__(self, name, argv, file, folder, *, fresh):
        self.argv, self.file, self.fresh = argv, file, fresh
        self.folder = folder / name
        self.new = self._made("new")
        self.old = {} if fresh else dict.fromkeys(self.new, b"an old result")

    def _made(self, place):
        out = self.folder / place
        out.mkdir(parents=True)
        code, said = quiet([*self.argv, "--out", out / self.file])
        assert code == 0, said
        return contents(out)

    def ready(self, place):
        """Return a folder with the old result in it."""
        out = self.folder / place
        out.mkdir()
        for name, content in self.old.items():
            (out / name).write_bytes(content)
        return out

    def operations(self, place):
        """Return how many file operations a run takes."""
        out = self.ready(place)
        with failing_disk(self.folder) as disk:
            self.run(out)
        return disk.count

    def run(self, out):
        return quiet([*self.argv, "--out", out / self.file])

    def lost(self, out, *, killed=False):
        """Whether the folder holds anything but the old or the new result."""
        found = contents(out) if out.exists() else {}
        if killed:
            hidden = [name for name in found if name.startswith(".steadycut-")]
            found = {name: found[name] for name in found.keys() - set(hidden)}
            return not self._is_between(found)
        return found not in (self.old, self.new)

    def _is_between(self, found):
        """After a kill: every file whole, old or new; where the first is new, all are."""
        whole = all(content in (self.old.get(n), self.new[n]) for n, content in found.items())
        kept = self.old.keys() <= found.keys()
        first = next(iter(self.first))
        return whole and kept and (found.get(first) != self.new[first] or found == self.new)

    @property
    def first(self):
        names = ("rule.json", "audit.json", "strata.json", "covariate.json", *self.new)
        return [name for name in names if name in self.new]


def is_one_line(said, cause):
    """Whether the last line is a refusal that names the cause, and others are warnings at most."""
    *warnings, last = said.strip().splitlines() or [""]
    warned = all(line.startswith("steadycut: warning: ") for line in warnings)
    return warned and last.startswith("steadycut: ") and cause in last


# Faults ----------------------------------------------------------------------------------


def error_at_every_operation(benches, errors):
    tried = lost = tracebacks = 0
    for bench in benches:
        count = bench.operations("counted")
        for error in errors:
            for at in range(1, count + 1):
                out = bench.ready(f"{error}-{at}")
                with failing_disk(bench.folder, at, error):
                    code, said = bench.run(out)
                tried += 1
                lost += bench.lost(out) or (code == 0 and contents(out) != bench.new)
                tracebacks += code != 0 and not is_one_line(said, os.strerror(error))
    return Row(
        "an error of the disk at every file operation of every command",
        tried,
        {"lost results": lost, "tracebacks": tracebacks},
    )


def _killed(argv, folder, at):
    with failing_disk(folder, at):
        quiet(argv)


def kill_at_every_operation(benches):
    CONTEXT.set_forkserver_preload(SERVED)
    tried = lost = after = 0
    for bench in benches:
        for at in range(1, bench.operations("counted for kills") + 1):
            out = bench.ready(f"killed-{at}")
            argv = [*bench.argv, "--out", out / bench.file]
            process = CONTEXT.Process(target=_killed, args=(argv, bench.folder, at))
            process.start()
            process.join()
            assert process.exitcode == -signal.SIGKILL, process.exitcode
            tried += 1
            lost += bench.lost(out, killed=True)
            # The next run ends well and leaves nothing of the killed one.
            code, _ = bench.run(out)
            after += code != 0 or contents(out) != bench.new
    return Row(
        "SIGKILL at every file operation of every command",
        tried,
        {"lost results": lost, "runs that failed afterwards": after},
    )


def elsewhere(function, *given, patience=PATIENCE):
    """Run a command in a process of its own; return its code and what it said."""
    CONTEXT.set_forkserver_preload(SERVED)
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=function, args=(*given, theirs))
    process.start()
    theirs.close()
    answered = ours.poll(patience)
    try:
        return ours.recv() if answered else (None, "hangs")
    except EOFError:
        return None, "died without a word"
    finally:
        process.kill()
        process.join()


def _limited(argv, limit, temporary, said):
    """Run a command in a process that may write no file above a size: a real error of writing."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    said.send(quiet(argv))


def no_room(benches, limits):
    """No file may grow above a limit, as on a disk that is full; the table is staged on it too."""
    tried = lost = tracebacks = 0
    for bench in benches:
        for limit in limits:
            temporary = bench.folder / f"temporary-{limit}"
            temporary.mkdir()
            out = bench.ready(f"limit-{limit}")
            argv = [*bench.argv, "--engine", "duckdb", "--out", out / bench.file]
            code, text = elsewhere(_limited, argv, limit, temporary)
            tried += 1
            lost += bench.lost(out) or any(temporary.iterdir())
            tracebacks += code != 0 and not is_one_line(text, "")
    return Row(
        "no room: files may not grow above a size, from 0 bytes on",
        tried,
        {"lost results": lost, "tracebacks": tracebacks},
    )


def _as_nobody(argv, said):
    # Imports first: nobody may not read all places that modules are in.
    with tempfile.TemporaryDirectory() as place:
        quiet([*argv[:-1], Path(place) / argv[-1].name])
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    said.send(quiet(argv))


def read_only(benches):
    tried = lost = tracebacks = 0
    for bench in benches:
        out = bench.ready("read-only")
        out.chmod(0o555)
        code, text = elsewhere(_as_nobody, [*bench.argv, "--out", out / bench.file])
        out.chmod(0o755)
        tried += 1
        lost += contents(out) != bench.old
        tracebacks += code == 0 or not is_one_line(text, "")
    return Row(
        "a folder that may not be written to",
        tried,
        {"lost results": lost, "tracebacks": tracebacks},
    )


def _one_of_two(argv, gate):
    gate.wait()
    quiet(argv)


def two_runs(folder, times):
    """Two fits of different seeds into one folder: afterwards it is the result of one of them."""
    CONTEXT.set_forkserver_preload(SERVED)
    rows = str(write_rows(folder / "shared.csv"))
    wholes = []
    for seed in "12":
        argv = ["fit", rows, *ASK, "--seed", seed]
        assert quiet([*argv, "--out", folder / f"alone-{seed}"])[0] == 0
        wholes.append((argv, contents(folder / f"alone-{seed}")))
    mixed = 0
    for i in range(times):
        out, gate = folder / f"both-{i}", CONTEXT.Barrier(2)
        both = [
            CONTEXT.Process(target=_one_of_two, args=([*argv, "--out", out], gate))
            for argv, _ in wholes
        ]
        for process in both:
            process.start()
        for process in both:
            process.join()
        mixed += contents(out) not in [content for _, content in wholes]
    return Row("two runs into one folder", times, {"mixed results": mixed})


def dead_workers(folder, times):
    """Workers killed in a refit: the cause is named, and the same bytes come after a resume."""
    from steadycut.errors import LostWorkers
    from tests.estimators.failing import Deadly
    from tests.estimators.spies import patient_rows
    from tests.estimators.test_refit import build

    rows, unnamed, differing = patient_rows(), 0, 0
    expected = build().fit(*rows).study_.freeze().to_bytes()
    for i in range(times):
        place, note = folder / f"refits-{i}", str(folder / f"note-{i}")
        try:
            build(Deadly(note), n_jobs=2, checkpoint=place).fit(*rows)
        except LostWorkers as error:
            unnamed += "a worker process was killed" not in str(error)
        else:
            unnamed += 1
        again = build(Deadly(note), n_jobs=2, checkpoint=place).fit(*rows)
        differing += again.study_.freeze().to_bytes() != expected
    return Row(
        "workers killed in a refit",
        times,
        {"unnamed causes": unnamed, "wrong results": differing},
    )


def _on_spark(table, delay, said):
    from benchmarks.trust.lost_executor import aggregate_while_killing

    said.send(aggregate_while_killing(table, delay))


def lost_executors(folder, times, seed):
    rng = np.random.default_rng(seed)
    table, patient = folder / "rows.parquet", rng.integers(0, 100, 50_000)
    rows = {"patient": patient, "label": patient % 2, "score": rng.normal(size=patient.size)}
    parquet.write_table(pa.table(rows), table)
    found = [elsewhere(_on_spark, table, delay) for delay in rng.uniform(0, 10, times)]
    return Row(
        "executors of a Spark cluster killed in an aggregation",
        times,
        {"wrong or no results": sum(one != (True, 1) for one in found)},
    )


def kills_at_random(way, kills, folder, seed):
    place = folder / f"kills-{way}"
    place.mkdir()
    count = kill_and_resume(way, kills, place, seed)
    return Row(
        f"SIGKILL at random times, then --resume: {way}",
        count.killed,
        {"wrong or lost results": len(count.wrong)},
    )


def stage(*, quick, seed):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        found = commands(folder)
        picked = ["fit", "apply"] if quick else list(found)
        over, fresh = (
            [
                Bench(f"{name}-{kind}", *found[name], folder, fresh=kind == "fresh")
                for name in picked
            ]
            for kind in ("over", "fresh")
        )
        staged = [bench for bench in over if bench.argv[0] != "report"]
        limits = (0, 4096) if quick else (0, 1, 512, 4096, 20_000, 60_000, 200_000)
        yield error_at_every_operation(over, ERRORS[:1] if quick else ERRORS)
        yield error_at_every_operation(fresh, ERRORS[:1])
        yield kill_at_every_operation(over[:1] if quick else over)
        yield no_room(staged, limits)
        yield read_only(over)
        yield two_runs(folder, 3 if quick else 30)
        yield dead_workers(folder, 1 if quick else 5)
        if not quick and shutil.which("java"):
            yield lost_executors(folder, 3, seed)
        for way in WAYS:
            yield kills_at_random(way, 3 if quick else 50, folder, seed)
