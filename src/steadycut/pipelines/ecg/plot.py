"""A picture of a record with its leads, beats and segments."""

import io
from pathlib import Path

import numpy as np

from steadycut.io.packages import optional_package
from steadycut.pipelines.ecg.beats import find_beats
from steadycut.pipelines.ecg.clean import RATE, clean
from steadycut.pipelines.ecg.pipeline import EcgOptions, read_one
from steadycut.pipelines.ecg.records import LEADS, read_record

SECONDS, SPACING = 10.0, 8.0


def draw_segments(path: Path, options: EcgOptions) -> bytes:
    """Return a PNG of the first 10 s of a record after filtering."""
    with optional_package("Drawing", "matplotlib", "plot"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    leads = clean(read_record(path))
    visible = leads[:, : round(SECONDS * RATE)]
    time = np.arange(visible.shape[1]) / RATE
    figure = Figure(figsize=(11, 8), layout="constrained")
    axes = figure.add_subplot()
    for place, (lead, values) in enumerate(zip(LEADS, visible, strict=True)):
        axes.plot(time, values - SPACING * place, color="black", linewidth=0.6)
        axes.text(-0.1, -SPACING * place, lead, ha="right", va="center")
    beats = find_beats(leads) / RATE
    axes.vlines(beats[beats < time[-1]], -SPACING * 11.5, 4, color="tab:red", alpha=0.35)
    length = options.window if options.segments == "windows" else 0.0
    for number, ((start, _), _) in enumerate(read_one(path, options)):
        if length and start < SECONDS:
            level = 5.5 + 1.2 * (number % 3)
            axes.plot([start, min(start + length, SECONDS)], [level, level], linewidth=4)
    axes.set(xlabel="seconds", yticks=[], title=f"{path.stem}: red beats, bars segments")
    sink = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(sink, format="png")
    return sink.getvalue()
