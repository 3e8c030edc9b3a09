"""ONNX files, run by ONNX Runtime; images are prepared by numpy."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import refuse
from steadycut.errors import BadOption, refusing
from steadycut.io.packages import optional_package
from steadycut.pipelines.models.interface import Look, RunOptions, refuse_gpu

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
INPUT_TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
}


class OnnxModel:
    """An ONNX model; safe to call from several threads."""

    def __init__(self, path: Path, options: RunOptions) -> None:
        self.session = _load(path, options)
        self.device = "cuda" if self.session.get_providers()[0] == CUDA else "cpu"
        self.input = _only_input(self.session, path)
        self.shape = self.input.shape
        self.dtype = INPUT_TYPES[self.input.type]
        self.output = _output_name(self.session, options.output)

    def images(self, tiles: NDArray[np.uint8], look: Look) -> NDArray[Any]:
        """Return the model's input; a model that takes whole numbers gets 0 to 255."""
        pixels = _resized(tiles[..., :3], look.edge)
        moved = pixels.transpose(0, 3, 1, 2) if look.channels_first else pixels
        if self.dtype is np.uint8:
            return np.ascontiguousarray(moved)
        inputs = np.empty(moved.shape, dtype=np.float32)
        by_channel = inputs if look.channels_first else inputs.transpose(0, 3, 1, 2)
        for channel, (scale, offset) in enumerate(zip(look.scale, look.offset, strict=True)):
            np.multiply(pixels[..., channel], scale, out=by_channel[:, channel])
            if offset:
                by_channel[:, channel] += offset
        return inputs

    def run(self, inputs: NDArray[Any]) -> NDArray[Any]:
        """Return the output for one batch."""
        given = inputs.astype(self.dtype, copy=False)
        return self.session.run([self.output], {self.input.name: given})[0]

    def decode(self, coded: Sequence[bytearray]) -> None:
        """Return None: the CPU decodes, and ONNX Runtime moves arrays to the device itself."""
        del coded

    def judge(self, tiles: Any, look: Look, n: int, measure: Callable[[Any], Any]) -> None:
        """Return None: numpy measures tiles, and ONNX Runtime scores them."""
        del tiles, look, n, measure


def _load(path: Path, options: RunOptions) -> Any:
    with optional_package("Running an ONNX model", "onnxruntime", "pathology"):
        import onnxruntime
    if options.fast or options.architecture:
        raise BadOption(
            f"--fast and --architecture are for PyTorch models; {path} is an ONNX file. Leave them "
            "out."
        )
    settings = onnxruntime.SessionOptions()
    # Blocks of tiles already run in parallel; more threads inside each block would only compete.
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 4
    built = CUDA in onnxruntime.get_available_providers()
    msg = f"cannot load the model {path}: {{why}} Give an ONNX file."
    with refusing(BadOption, msg, Exception):
        wanted = [CUDA] if built and options.device != "cpu" else [CPU]
        session = onnxruntime.InferenceSession(str(path), settings, providers=wanted)
    # ONNX Runtime goes on with the CPU if the GPU does not start.
    if options.device == "cuda" and session.get_providers()[0] != CUDA:
        why = "ONNX Runtime could not start it" if built else "this ONNX Runtime is for the CPU"
        raise refuse_gpu(why, "Install onnxruntime-gpu and its CUDA libraries")
    return session


def _only_input(session: Any, path: Path) -> Any:
    inputs = session.get_inputs()
    if len(inputs) != 1 or inputs[0].type not in INPUT_TYPES:
        described = "; ".join(f"{tensor.name}: {tensor.type} {tensor.shape}" for tensor in inputs)
        raise BadOption(f"the model {path} must have one input of numbers; it has {described}.")
    return inputs[0]


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
