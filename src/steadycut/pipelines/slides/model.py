"""Score tiles with any image classifier: how pixels become the model's input."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray, check_choice
from steadycut.errors import BadOption, refusing
from steadycut.pipelines.models.interface import Look, RunOptions
from steadycut.pipelines.models.scorer import CANNOT, Scorer, check_rows
from steadycut.pipelines.slides.quality import Quality, measure_on_device

LAYOUTS = ("auto", "nchw", "nhwc")
# pixel 0..255 -> (pixel / 255 - mean) / deviation
NORMALIZATIONS: dict[str, tuple[Any, Any]] = {
    "unit": (0.0, 1.0),
    "imagenet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "minus-one-one": (0.5, 0.5),
    "none": (0.0, 1 / 255),
}
CHANNELS, AXES = 3, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions(RunOptions):
    """How pixels go in and a score comes out.

    Parameters
    ----------
    normalize
        ``unit``: 0 to 1. ``imagenet``: 0 to 1, then ImageNet's mean and deviation per channel.
        ``minus-one-one``: -1 to 1. ``none``: 0 to 255. An ONNX model whose input is whole numbers
        always gets 0 to 255.
    layout
        ``nchw`` or ``nhwc``; ``auto`` takes the axis of the model's input that has size 3.
    """

    normalize: str = "unit"
    layout: str = "auto"

    def __post_init__(self) -> None:
        # Two classes of slots: super() would look in the wrong one.
        RunOptions.__post_init__(self)
        check_choice("normalize", self.normalize, tuple(NORMALIZATIONS))
        check_choice("layout", self.layout, LAYOUTS)


class TileModel(Scorer):
    """A loaded model: tiles in, one score per tile out; safe to call from several threads."""

    def __init__(self, path: Path, options: ModelOptions) -> None:
        super().__init__(path, options, AXES)
        shape = self.model.shape or ("n", CHANNELS, None, None)
        first = _channels_first(list(shape), options.layout)
        high, wide = shape[2:] if first else shape[1:3]
        mean, deviation = (
            np.broadcast_to(part, CHANNELS) for part in NORMALIZATIONS[options.normalize]
        )
        self.look = Look(
            channels_first=first,
            edge=(high, wide) if isinstance(high, int) and isinstance(wide, int) else None,
            scale=(1 / (255 * deviation)).astype(np.float32),
            offset=(-mean / deviation).astype(np.float32),
        )

    def score(self, tiles: Any) -> FloatArray:
        """Return the scores of tiles (tile, y, x, RGB); more channels are ignored."""
        return self.score_batch(self.prepare(tiles))

    def judge(self, tiles: Any, n: int) -> tuple[Quality, FloatArray] | None:
        """Return the quality and the output of all tiles if the GPU computes both; else None."""
        fixed = next(iter(self.model.shape), None)
        size = fixed if isinstance(fixed, int) else n
        with refusing(BadOption, CANNOT, Exception):
            judged = self.model.judge(tiles, self.look, size, measure_on_device)
        if judged is None:
            return None
        measures, output = judged
        check_rows(output, len(tiles))
        sharpness, brightness = measures.astype(float).T
        return Quality(sharpness=sharpness, brightness=brightness), output

    def prepare(self, tiles: Any) -> Any:
        """Return the model's input: resized if its size is fixed, normalised, in its layout."""
        return self.model.images(tiles, self.look)


def _channels_first(shape: list[Any], asked: str) -> bool:
    if asked != "auto":
        return asked == "nchw"
    fitting = [axis for axis in (1, 3) if shape[axis] == CHANNELS]
    if len(fitting) != 1:
        msg = f"the model's input {shape} does not tell its layout. Give --layout nchw or nhwc."
        raise BadOption(msg)
    return fitting == [1]
