"""How long a cut-off and 2,000 bootstrap replicates take, beside other tools, in one run.

    python benchmarks/speed/threshold.py [--rounds 3] [--largest 1000000] [--out FILE]

Every round runs every tool once on the same patients, one after the other, so that whatever else
the machine does falls on all of them; the median over the rounds counts. A tool that would take
minutes runs fewer replicates, and its time is scaled to 2,000 (marked `*`; the last table says how
many it ran). Nothing is scaled in the number of patients: a cell that was not run is empty.
With ``--out`` the tables go into that file, and their numbers into a JSON file beside it. With
``--cpu`` a few tools are timed in CPU seconds, for a machine with other work.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import peers

import steadycut
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import parse_rule

REPLICATES = 2_000
SIZES = (200, 1_000, 10_000, 100_000, 1_000_000)
BASE = "steadycut.fit, 200 cuts, erm"
PRINTED = "Algorithm 1 as printed"
EXACT = "steadycut.fit, every cut, erm"
EXACT_STABLE = "steadycut.fit, every cut, stable"
GRID_ALONE = "its bootstrap alone, 200 cuts, erm"
DEFAULT = "steadycut.fit, all defaults (200 replicates)"
# Timed by the processor where other work runs beside.
IN_CPU_SECONDS = (EXACT, EXACT_STABLE, DEFAULT, PRINTED)


@dataclass
class Tool:
    """A way to a cut-off: what runs, and how many replicates at each size (None: not run)."""

    name: str
    run: object
    replicates: tuple
    seconds: dict = field(default_factory=dict)
    cpu: dict = field(default_factory=dict)
    thresholds: dict = field(default_factory=dict)


def cohort(n, seed=0):
    """Patients with a continuous score, 40 % of them diseased, 1.5 standard deviations apart."""
    rng = np.random.default_rng([seed, n])
    labels = (rng.random(n) < 0.4).astype(np.int64)
    return rng.normal(size=n) + 1.5 * labels, labels


def timed(function):
    """Make of a function that returns (threshold, draws) one that returns (seconds, threshold)."""

    def run(scores, labels, n_replicates, seed):
        rng = np.random.default_rng(seed)
        started = time.perf_counter()
        threshold, _ = function(scores, labels, n_replicates, rng)
        return time.perf_counter() - started, float(threshold)

    return run


def whole_fit(**options):
    """steadycut.fit from raw arrays to the summary; all patients choose, as in the other tools."""

    def run(scores, labels, n_replicates, seed):
        given = {"n_bootstrap": n_replicates, "honesty": "uniform", **options}
        started = time.perf_counter()
        study = steadycut.fit(PatientScores(scores=scores, labels=labels), seed=seed, **given)
        study.to_dict()
        return time.perf_counter() - started, study.threshold

    return run


def grid_bootstrap(scores, labels, n_replicates, seed):
    """The bootstrap of the 200 cuts by itself, the patients already sorted into cells."""
    cuts = even_cuts(PatientScores(scores=scores, labels=labels), 200)
    rng = np.random.default_rng(seed)
    started = time.perf_counter()
    draws = draw_thresholds(cuts, parse_rule("erm"), Costs(), n_replicates, rng)
    return time.perf_counter() - started, draws.threshold


def r_package(package):
    """Time a package of R, inside R."""

    def run(scores, labels, n_replicates, seed):
        return peers.run_r(package, scores, labels, n_replicates, seed)

    return run


def tools():
    """All tools, ours first."""
    every = (REPLICATES,) * 5
    ours = [
        Tool(BASE, whole_fit(rule="erm", grid="even"), every),
        Tool("steadycut.fit, 200 cuts, stable", whole_fit(rule="stable", grid="even"), every),
        Tool(EXACT, whole_fit(rule="erm"), every),
        Tool(EXACT_STABLE, whole_fit(), every),
        Tool(GRID_ALONE, grid_bootstrap, every),
        Tool(DEFAULT, whole_fit(n_bootstrap=200, honesty="split"), every),
    ]
    others = [
        Tool(PRINTED, timed(peers.printed), (400, 400, 200, 20, 2)),
        Tool("the same, counting errors", timed(peers.printed_counting), (2000, 1000, 400, 80, 5)),
        Tool("sort per replicate", timed(peers.sort_per_replicate), (2000, 2000, 1000, 80, 10)),
        Tool("scipy.stats.bootstrap", timed(peers.scipy_bootstrap), (2000, 2000, 1000, 80, 10)),
        Tool("TunedThresholdClassifierCV", timed(peers.tuned_threshold), (20, 20, 10, 3, None)),
    ]
    in_r = [
        Tool("R cutpointr", r_package("cutpointr"), (50, 50, 40, 15, None)),
        Tool("R pROC ci.coords", r_package("pROC"), (400, 400, 100, 20, None)),
    ]
    packages = ("cutpointr", "pROC")
    installed = [t for t, p in zip(in_r, packages, strict=True) if peers.r_version(p)]
    return ours + others + installed


def measure(all_tools, sizes, rounds):
    """Fill in the seconds of every tool, rounds outermost and tools innermost."""
    for column, n in enumerate(sizes):
        scores, labels = cohort(n)
        for seed in range(rounds):
            for tool in all_tools:
                replicates = tool.replicates[column]
                if replicates is None:
                    continue
                began = time.process_time()
                seconds, threshold = tool.run(scores, labels, replicates, seed)
                used = time.process_time() - began
                # The cut-off itself counts as one replicate.
                scale = 1 if tool.name == DEFAULT else (REPLICATES + 1) / (replicates + 1)
                tool.seconds.setdefault(n, []).append(seconds * scale)
                tool.cpu.setdefault(n, []).append(used * scale)
                tool.thresholds[n] = threshold
        print(f"n = {n}: done", flush=True)


def seconds_of(tool, n):
    """The median over the rounds, or None."""
    return statistics.median(tool.seconds[n]) if n in tool.seconds else None


def mark(tool, column):
    """A star where fewer replicates were run."""
    return "" if tool.replicates[column] == REPLICATES or tool.name == DEFAULT else "*"


def number(value):
    """Three digits are enough."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2g}" if value < 1 else f"{value:.3g}"


def table(title, all_tools, sizes, cell):
    """One table in Markdown; an empty cell was not run."""
    lines = [f"**{title}**", "", "| | " + " | ".join(f"n = {n:,}" for n in sizes) + " |"]
    lines.append("|---" * (len(sizes) + 1) + "|")
    for tool in all_tools:
        cells = [
            cell(tool, column, n) if n in tool.seconds else "" for column, n in enumerate(sizes)
        ]
        lines.append(f"| {tool.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def tables(all_tools, sizes):
    """Ratios, seconds and replicates."""
    base = all_tools[0]
    in_seconds = table(
        "Seconds for the cut-off and 2,000 replicates",
        all_tools,
        sizes,
        lambda tool, column, n: number(seconds_of(tool, n)) + mark(tool, column),
    )
    ratios = table(
        f"Times as long as `{BASE}`",
        all_tools[1:],
        sizes,
        lambda tool, column, n: (
            number(seconds_of(tool, n) / seconds_of(base, n)) + mark(tool, column)
        ),
    )
    runs = table(
        "Replicates run (* above: scaled to 2,000 in proportion)",
        [tool for tool in all_tools if set(tool.replicates) != {REPLICATES}],
        sizes,
        lambda tool, column, _: f"{tool.replicates[column]:,}",
    )
    return f"{ratios}\n\n{in_seconds}\n\n{runs}"


def aims(all_tools):
    """What was aimed at, and what came out, in times or seconds."""
    by_name = {tool.name: tool for tool in all_tools}

    def ratio(slow, n_slow, fast, n_fast):
        return seconds_of(by_name[slow], n_slow) / seconds_of(by_name[fast], n_fast)

    big, small, largest = 100_000, 10_000, 1_000_000
    counting = "the same, counting errors"
    rows = {
        "whole fit on 200 cuts: at least 500 times as fast as Algorithm 1 as printed, n = 1e5": (
            ratio(PRINTED, big, BASE, big)
        ),
        "against the same loops, counting errors": ratio(counting, big, BASE, big),
        "whole fit on every cut, erm: at least 200 times as fast as Algorithm 1 on 200, n = 1e5": (
            ratio(PRINTED, big, EXACT, big)
        ),
        "against the same loops, counting errors, on 200": ratio(counting, big, EXACT, big),
        "whole fit on every cut, stable: the same": ratio(PRINTED, big, EXACT_STABLE, big),
        "default fit at n = 200: under 0.2 s": seconds_of(by_name[DEFAULT], 200),
    }
    if largest in by_name[GRID_ALONE].seconds:
        grown = ratio(GRID_ALONE, largest, GRID_ALONE, small)
        rows["bootstrap of 200 cuts at n = 1e6: within 3 times that at n = 1e4"] = grown
    return rows


def targets(all_tools):
    """The aims as a table."""
    lines = [f"| {aim} | {number(measured)} |" for aim, measured in aims(all_tools).items()]
    return "\n".join(["| aim | measured |", "|---|---|", *lines])


def numbers(all_tools, sizes):
    """Return the seconds, the ratios to the first tool and the replicates of every tool."""
    seconds = {
        tool.name: {str(n): seconds_of(tool, n) for n in sizes if n in tool.seconds}
        for tool in all_tools
    }
    base = seconds[BASE]
    ratios = {
        name: {n: one / base[n] for n, one in found.items()} for name, found in seconds.items()
    }
    replicates = {
        tool.name: {str(n): tool.replicates[place] for place, n in enumerate(sizes)}
        for tool in all_tools
    }
    return {"seconds": seconds, "ratios": ratios, "replicates": replicates}


def in_cpu_seconds(all_tools, sizes):
    """Return the CPU seconds of every tool, and how many times as long the printed loops take."""
    cpu = {
        tool.name: {str(n): float(f"{statistics.median(tool.cpu[n]):.3g}") for n in sizes}
        for tool in all_tools
    }
    times = {str(n): cpu[PRINTED][str(n)] / cpu[EXACT_STABLE][str(n)] for n in sizes}
    by_clock = {
        tool.name: {str(n): statistics.median(tool.seconds[n]) for n in sizes} for tool in all_tools
    }
    clock = {str(n): by_clock[PRINTED][str(n)] / by_clock[EXACT_STABLE][str(n)] for n in sizes}
    return {"cpu": cpu, "times": times, "times by the clock": clock}


def processor():
    """Name the processor, where the system tells."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine():
    """Where it ran, with what."""
    names = ("numpy", "scipy", "scikit-learn")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in names]
    versions += [text for text in map(peers.r_version, ("cutpointr", "pROC")) if text]
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{processor()}, {os.cpu_count()} cores, load average {load}; "
        f"Python {platform.python_version()}, {', '.join(versions)}"
    )


def agreement(all_tools, sizes):
    """The cut-offs that the tools chose, as a check that they do one job."""
    minimising = [tool for tool in all_tools if "pROC" not in tool.name]
    parts = []
    for n in sizes:
        chosen = [tool.thresholds[n] for tool in minimising if n in tool.thresholds]
        parts.append(f"n = {n:,}: {min(chosen):.2f} to {max(chosen):.2f}")
    return "Cut-offs chosen (all but pROC, which takes Youden's): " + "; ".join(parts) + "."


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cpu", type=Path, help="only a few tools, in CPU seconds, into this file")
    options = parser.parse_args()
    sizes = [n for n in SIZES if n <= options.largest]
    all_tools = [tool for tool in tools() if not options.cpu or tool.name in IN_CPU_SECONDS]
    for tool in all_tools:  # Imports and first calls are not what is measured.
        tool.run(*cohort(200), 3, 0)
    before = machine()
    measure(all_tools, sizes, options.rounds)
    if options.cpu:
        found = in_cpu_seconds(all_tools, sizes)
        record = {"machine": before, "rounds": options.rounds, **found}
        options.cpu.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return
    parts = [f"{before}; {options.rounds} rounds, median.", tables(all_tools, sizes)]
    if 100_000 in sizes:
        parts.append(targets(all_tools))
    parts.append(agreement(all_tools, sizes))
    text = "\n\n".join(parts) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
        stored = {"machine": before, "rounds": options.rounds, **numbers(all_tools, sizes)}
        stored["aims"] = aims(all_tools) if 100_000 in sizes else {}
        rounded = json.loads(json.dumps(stored), parse_float=lambda one: float(f"{float(one):.3g}"))
        beside = options.out.with_suffix(".json")
        beside.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
