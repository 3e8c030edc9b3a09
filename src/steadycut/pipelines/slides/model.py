"""Score tiles with any classifier that was exported to ONNX."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, check_choice, refuse
from steadycut.errors import BadFile, BadOption, refusing
from steadycut.io.files import hash_file
from steadycut.io.packages import optional_package

LAYOUTS, ACTIVATIONS = ("auto", "nchw", "nhwc"), ("none", "sigmoid", "softmax")
DEVICES = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
# pixel 0..255 -> (pixel / 255 - mean) / deviation
NORMALIZATIONS: dict[str, tuple[Any, Any]] = {
    "unit": (0.0, 1.0),
    "imagenet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "minus-one-one": (0.5, 0.5),
    "none": (0.0, 1 / 255),
}
INPUT_TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
}
CHANNELS, AXES = 3, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How pixels go in and a score comes out.

    Parameters
    ----------
    normalize
        ``unit``: 0 to 1. ``imagenet``: 0 to 1, then ImageNet's mean and deviation per channel.
        ``minus-one-one``: -1 to 1. ``none``: 0 to 255. A model whose input is whole numbers
        always gets 0 to 255.
    layout
        ``nchw`` or ``nhwc``; ``auto`` takes the axis of the model's input that has size 3.
    activation
        What turns the model's output into the score: ``none``, ``sigmoid`` or ``softmax``.
    output
        Name of the output; the first by default.
    positive
        Column of the output that is the score; by default the last, if there are one or two.
    device
        ``cpu``, or ``cuda`` with onnxruntime-gpu.
    """

    normalize: str = "unit"
    layout: str = "auto"
    activation: str = "none"
    output: str | None = None
    positive: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_choice("normalize", self.normalize, tuple(NORMALIZATIONS))
        check_choice("layout", self.layout, LAYOUTS)
        check_choice("activation", self.activation, ACTIVATIONS)
        check_choice("device", self.device, tuple(DEVICES))


class TileModel:
    """A loaded model: tiles in, one score per tile out; safe to call from several threads."""

    def __init__(self, path: Path, options: ModelOptions) -> None:
        self.options = options
        self.session = _load(path, DEVICES[options.device])
        self.input = _only_input(self.session, path)
        self.layout = _layout(self.input.shape, options.layout)
        self.dtype = INPUT_TYPES[self.input.type]
        self.output = _output_name(self.session, options.output)
        self.fingerprint = {"sha256": hash_file(path), **asdict(options)}

    def score(self, tiles: NDArray[np.uint8]) -> FloatArray:
        """Return the scores of tiles (tile, y, x, RGB); more channels are ignored."""
        inputs = self.prepare(tiles)
        fixed = self.input.shape[0]
        size = fixed if isinstance(fixed, int) else max(len(inputs), 1)
        batches = [self._run(inputs[at : at + size], size) for at in range(0, len(inputs), size)]
        scores = self._scores(np.concatenate(batches).astype(float))
        if not np.isfinite(scores).all():
            n_bad = int((~np.isfinite(scores)).sum())
            raise BadFile(f"the model gave NaN or infinity for {n_bad} tiles. Check --normalize.")
        return scores

    def prepare(self, tiles: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the model's input: resized if its size is fixed, normalised, in its layout."""
        pixels = _resized(tiles[..., :CHANNELS], self._edge())
        moved = pixels.transpose(0, 3, 1, 2) if self.layout == "nchw" else pixels
        if self.dtype is np.uint8:
            return np.ascontiguousarray(moved)
        found = np.empty(moved.shape, dtype=np.float32)
        by_channel = found if self.layout == "nchw" else found.transpose(0, 3, 1, 2)
        for channel, (scale, offset) in enumerate(zip(*self.scaling, strict=True)):
            np.multiply(pixels[..., channel], scale, out=by_channel[:, channel])
            if offset:
                by_channel[:, channel] += offset
        return found.astype(self.dtype, copy=False)

    @property
    def scaling(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Per channel: the factor for pixel values of 0 to 255, and what is then added."""
        mean, deviation = (
            np.broadcast_to(part, CHANNELS) for part in NORMALIZATIONS[self.options.normalize]
        )
        scale, offset = 1 / (255 * deviation), -mean / deviation
        return scale.astype(np.float32), offset.astype(np.float32)

    def _edge(self) -> tuple[int, int] | None:
        high, wide = self.input.shape[2:] if self.layout == "nchw" else self.input.shape[1:3]
        return (high, wide) if isinstance(high, int) and isinstance(wide, int) else None

    def _run(self, inputs: NDArray[Any], size: int) -> NDArray[Any]:
        short = size - len(inputs)
        full = np.pad(inputs, ((0, short), (0, 0), (0, 0), (0, 0))) if short else inputs
        # The exceptions of onnxruntime share no named base.
        with refusing(BadOption, "the model cannot score the tiles: {why}", Exception):
            output = self.session.run([self.output], {self.input.name: full})[0]
        if output.shape[:1] != (size,):
            raise BadOption(
                f"the model must give one row per tile; output {self.output!r} has shape "
                f"{output.shape} for {size} tiles. Choose another output with --output."
            )
        return output[: len(inputs)]

    def _scores(self, output: FloatArray) -> FloatArray:
        rows = output.reshape(len(output), -1)
        column = positive_column(rows.shape[1], self.options.positive)
        if self.options.activation == "softmax":
            rows = np.exp(rows - rows.max(axis=1, keepdims=True))
            rows /= rows.sum(axis=1, keepdims=True)
        score = rows[:, column]
        return 1 / (1 + np.exp(-score)) if self.options.activation == "sigmoid" else score


def positive_column(n_columns: int, positive: int | None) -> int:
    """Return which column of the output is the score.

    Examples
    --------
    >>> positive_column(1, None), positive_column(2, None), positive_column(5, 3)
    (0, 1, 3)
    """
    if positive is None and n_columns <= 2:  # noqa: PLR2004
        return n_columns - 1
    if positive is None or not 0 <= positive < n_columns:
        refuse("--positive", f"be a column of the output, 0 to {n_columns - 1}", positive)
    return positive


def _load(path: Path, provider: str) -> Any:
    with optional_package("Scoring tiles", "onnxruntime", "pathology"):
        import onnxruntime
    if not path.is_file():
        raise BadOption(f"there is no model {path}. Give an ONNX file as --model.")
    if provider not in onnxruntime.get_available_providers():
        msg = "--device cuda needs the package onnxruntime-gpu and a GPU. Use --device cpu."
        raise BadOption(msg)
    settings = onnxruntime.SessionOptions()
    # Blocks of tiles already run in parallel; more threads inside each block would only compete.
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 4
    msg = f"cannot load the model {path}: {{why}} Give an ONNX file."
    with refusing(BadOption, msg, Exception):
        session = onnxruntime.InferenceSession(str(path), settings, providers=[provider])
    # Where a GPU does not start, ONNX Runtime goes on with the CPU and only logs it.
    if session.get_providers()[0] != provider:
        raise BadOption("the GPU did not start, so nothing was scored. Use --device cpu.")
    return session


def _only_input(session: Any, path: Path) -> Any:
    inputs = session.get_inputs()
    if len(inputs) != 1 or len(inputs[0].shape) != AXES or inputs[0].type not in INPUT_TYPES:
        described = "; ".join(f"{tensor.name}: {tensor.type} {tensor.shape}" for tensor in inputs)
        msg = f"the model {path} must have one input, a batch of RGB images; it has {described}."
        raise BadOption(msg)
    return inputs[0]


def _layout(shape: list[Any], asked: str) -> str:
    if asked != "auto":
        return asked
    fitting = [name for name, axis in (("nchw", 1), ("nhwc", 3)) if shape[axis] == CHANNELS]
    if len(fitting) != 1:
        msg = f"the model's input {shape} does not tell its layout. Give --layout nchw or nhwc."
        raise BadOption(msg)
    return fitting[0]


def _output_name(session: Any, asked: str | None) -> str:
    names = [tensor.name for tensor in session.get_outputs()]
    if asked is not None and asked not in names:
        refuse("--output", f"be one of {', '.join(names)}", asked)
    return str(asked or names[0])


def _resized(tiles: NDArray[np.uint8], size: tuple[int, int] | None) -> NDArray[np.uint8]:
    if size is None or tiles.shape[1:3] == size:
        return tiles
    from PIL import Image

    way = Image.Resampling.BILINEAR
    pictures = [Image.fromarray(tile).resize(size[::-1], way, reducing_gap=2.0) for tile in tiles]
    return np.stack([np.asarray(picture) for picture in pictures])
