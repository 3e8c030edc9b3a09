"""The International Stroke Trial: 14 countries, two outcomes, scores that are probabilities."""

import pandas as pd
from real_sets import columns


def stroke(label, score):
    def read(folder):
        frame = pd.read_parquet(folder / "ist_stroke" / "ist.parquet")
        return columns(frame, frame[label], frame.site.astype(str), [score])

    return read


READERS = {
    "stroke, dependent": stroke("label", "score_lr"),
    "stroke, dead": stroke("label_dead", "score_dead_lr"),
}
