"""A picture of a record with its leads, beats and segments, as SVG."""

from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from steadycut.pipelines.ecg.beats import find_beats
from steadycut.pipelines.ecg.clean import RATE, clean
from steadycut.pipelines.ecg.pipeline import EcgOptions, read_one
from steadycut.pipelines.ecg.records import LEADS, read_record

# In pixels: a second, a standard deviation of a lead, from lead to lead, and the left edge.
SECONDS, WIDE, HIGH, SPACING, LEFT = 10.0, 100, 6, 56, 40


def draw_segments(path: Path, options: EcgOptions) -> bytes:
    """Return an SVG of the first 10 s of a record after filtering."""
    leads = clean(read_record(path))
    parts = [_text(LEFT, 20, f"{path.stem}, {SECONDS:g} s: red lines are beats, bars are segments")]
    for place, (lead, values) in enumerate(zip(LEADS, leads, strict=True)):
        y, shown = SPACING * (place + 2), values[: round(SECONDS * RATE)]
        x = LEFT + WIDE * np.arange(shown.size) / RATE
        points = " ".join(f"{at:.1f},{y - HIGH * z:.1f}" for at, z in zip(x, shown, strict=True))
        line = f"<polyline points='{points}' fill='none' stroke='black' stroke-width='0.7'/>"
        parts += [_text(5, y, lead), line]
    beats = find_beats(leads) / RATE
    for beat in (LEFT + WIDE * beats[beats < SECONDS]).tolist():
        parts.append(f"<path d='M{beat:.1f} 80V780' stroke='red' stroke-opacity='0.35'/>")
    for number, ((start, _), _) in enumerate(read_one(path, options)):
        wide = WIDE * min(options.window, SECONDS - start)
        if options.segments == "windows" and wide > 0:
            left, top = LEFT + WIDE * start, 34 + 12 * (number % 3)
            parts.append(f"<rect x='{left}' y='{top}' width='{wide}' height='6' fill='navy'/>")
    head = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1080 790'>"
    return "\n".join([head, *parts, "</svg>\n"]).encode()


def _text(x: float, y: float, text: str) -> str:
    return f"<text x='{x}' y='{y}' font-family='sans-serif' font-size='13'>{escape(text)}</text>"
