"""PyTorch models: exported programs, TorchScript, and timm architectures with their weights.

A pickle can run any code when it is loaded, so none is ever read: TorchScript and safetensors files
hold none, and in an exported program PyTorch is told to read plain tensors only, after its other
texts were found to be plain.
"""

import os
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.errors import BadOption, refusing
from steadycut.io.packages import optional_package
from steadycut.pipelines.models.interface import Judged, Look, RunOptions, refuse_gpu
from steadycut.pipelines.models.plain_program import check_plain

ENDINGS = frozenset({".pt2", ".pt", ".pth", ".ts", ".safetensors", ".ckpt", ".bin", ".pkl"})
WARM_UPS = 3
# PyTorch then unpickles tensors only, wherever it reads a file.
PLAIN_TENSORS = "TORCH_FORCE_WEIGHTS_ONLY_LOAD"
CONVERT = "torch.export.save(torch.export.export(model.eval(), (example,)), 'model.pt2')"


class TorchModel:
    """A PyTorch model; safe to call from several threads."""

    def __init__(self, path: Path, options: RunOptions) -> None:
        with optional_package("Running a PyTorch model", "torch", "torch"):
            import torch
        self.torch, self.output = torch, options.output
        self.device = _start_device(torch, options)
        self.dtype = torch.float16 if options.fast else torch.float32
        module, self.shape = _load(torch, path, options, self.device)
        self.module = module.to(device=self.device, dtype=self.dtype)
        self.decodes = options.fast and find_spec("torchvision") is not None
        self.memory = torch.channels_last if options.fast else torch.contiguous_format
        places = {tensor.device.type for tensor in module.state_dict().values()}
        if places - {self.device}:
            raise refuse_gpu("the model did not move to it", "Export the model again")
        self.stream = None if self.device == "cpu" else torch.cuda.Stream()
        self.lock = Lock()
        self.recordings: dict[Any, Recording] = {}

    def decode(self, coded: Sequence[bytearray]) -> Any:
        """Return JPEG files as tiles on the GPU; None if it cannot decode them."""
        if not self.decodes:
            return None
        from torchvision.io import ImageReadMode, decode_jpeg

        given = [self.torch.frombuffer(data, dtype=self.torch.uint8) for data in coded]
        with suppress(RuntimeError):
            decoded = decode_jpeg(given, mode=ImageReadMode.RGB, device=self.device)
            tiles = self.torch.stack(decoded).permute(0, 2, 3, 1)
            # Another stream reads the tiles, and the decoder's may write to memory that is freed.
            self.torch.cuda.current_stream().synchronize()
            return tiles
        return None

    def images(self, tiles: Any, look: Look) -> Any:
        """Return the model's input, made on the device from bytes."""
        torch = self.torch
        pixels = self._put(tiles)[..., :3].permute(0, 3, 1, 2).to(self.dtype)
        if look.edge and tuple(pixels.shape[2:]) != look.edge:
            pixels = torch.nn.functional.interpolate(
                pixels, look.edge, mode="bilinear", antialias=True
            )
        scale, offset = (self._put(part)[:, None, None] for part in (look.scale, look.offset))
        inputs = pixels * scale.to(self.dtype) + offset.to(self.dtype)
        inputs = inputs.contiguous(memory_format=self.memory)
        return inputs if look.channels_first else inputs.permute(0, 2, 3, 1).contiguous()

    def run(self, inputs: Any) -> NDArray[Any]:
        """Return the output for one batch."""
        with self.torch.inference_mode():
            return self._forward(self._put(inputs).to(self.dtype)).cpu().numpy()

    def judge(self, tiles: Any, look: Look, n: int, measure: Callable[[Any], Any]) -> Judged | None:
        """Return what ``measure`` gives for tiles, and the output for them; None on the CPU.

        Threads take turns to give the GPU work, and wait for the results at the same time.
        """
        if self.stream is None:
            return None
        parts = [
            self._judge(tiles[at : at + n], look, n, measure) for at in range(0, len(tiles), n)
        ]
        measures, outputs = zip(*parts, strict=True)
        return np.concatenate(measures), np.concatenate(outputs)

    def _judge(self, tiles: Any, look: Look, n: int, measure: Callable[[Any], Any]) -> Judged:
        torch, given = self.torch, self._put(tiles)
        key = n, *given.shape[1:]
        with self.lock, torch.cuda.stream(self.stream), torch.inference_mode():
            if key not in self.recordings:
                self.recordings[key] = self._record(given, look, n, measure)
            recording = self.recordings[key]
            recording.given[: len(given)].copy_(given)
            copies = [part[: len(given)].to("cpu", non_blocking=True) for part in recording.play()]
            done = torch.cuda.Event(blocking=True)
            done.record()
        done.synchronize()
        measures, outputs = (copy.numpy() for copy in copies)
        return measures, outputs

    def _record(self, like: Any, look: Look, n: int, measure: Callable[[Any], Any]) -> "Recording":
        """Record the work on ``n`` tiles as a CUDA graph: one call from Python, not hundreds.

        Work that cannot be recorded is done step by step.
        """
        torch = self.torch
        # Nothing is copied from the CPU within the work.
        look = replace(look, scale=self._put(look.scale), offset=self._put(look.offset))
        high, wide, channels = like.shape[1:]
        given = torch.zeros((n, channels, high, wide), dtype=torch.uint8, device=like.device)
        given = given.permute(0, 2, 3, 1)

        def work() -> tuple[Any, Any]:
            return measure(given), self._forward(self.images(given, look))

        # Libraries choose their algorithms and take their memory the first few times.
        for _ in range(WARM_UPS):
            work()
        try:
            graph = torch.cuda.CUDAGraph()
            how = {"stream": torch.cuda.current_stream(), "capture_error_mode": "thread_local"}
            with torch.cuda.graph(graph, **how):
                made = work()
        except RuntimeError:
            return Recording(given, work)
        return Recording(given, work, graph, made)

    def _put(self, values: Any) -> Any:
        if isinstance(values, np.ndarray):
            values = self.torch.from_numpy(np.ascontiguousarray(values))
        return values.to(self.device)

    def _forward(self, inputs: Any) -> Any:
        output = self.module(inputs)
        if isinstance(output, dict):
            output = output[self.output or next(iter(output))]
        elif isinstance(output, tuple | list):
            output = output[int(self.output or 0)]
        return output.float()


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Work on what is copied into ``given``; a ``graph`` uses memory that ``work`` must keep."""

    given: Any
    work: Callable[[], Any]
    graph: Any = None
    made: Any = None

    def play(self) -> Any:
        """Return the results for what is in ``given`` now."""
        if self.graph is None:
            return self.work()
        self.graph.replay()
        return self.made


def _start_device(torch: Any, options: RunOptions) -> str:
    """Return the device, after it has computed something; the same input gives the same scores."""
    if options.device == "cpu" or (options.device == "auto" and not torch.cuda.is_available()):
        if options.fast:
            raise BadOption("--fast needs a GPU; this run uses the CPU. Leave it out.")
        # Blocks of tiles already run in parallel.
        torch.set_num_threads(1)
        return "cpu"
    try:
        torch.ones(1, device="cuda").sum().item()
    except (RuntimeError, AssertionError) as error:
        raise refuse_gpu(error, "Install PyTorch for your GPU and its driver") from None
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    return "cuda"


def _load(torch: Any, path: Path, options: RunOptions, device: str) -> tuple[Any, Sequence[Any]]:
    """Return the module and the shape of its input."""
    if options.architecture or path.suffix == ".safetensors":
        return _load_timm(path, options.architecture)
    names = zipfile.ZipFile(path).namelist() if zipfile.is_zipfile(path) else []
    msg = f"cannot load the model {path}: {{why}}. Export it again."
    with refusing(BadOption, msg, Exception):
        if any(name.endswith("/constants.pkl") for name in names):
            return torch.jit.load(str(path), map_location=device).eval(), ()
        if path.suffix == ".pt2" and names:
            return _load_exported(torch, path, device)
    raise BadOption(
        f"{path} is no exported program and no TorchScript; a pickle can run any code and is not "
        f"read. Convert it with {CONVERT}, or save its weights as .safetensors and give the timm "
        "--architecture."
    )


def _load_exported(torch: Any, path: Path, device: str) -> tuple[Any, Sequence[Any]]:
    from torch.export.passes import move_to_device_pass

    check_plain(path)
    before = os.environ.get(PLAIN_TENSORS)
    os.environ[PLAIN_TENSORS] = "1"
    try:
        program = torch.export.load(path)
    finally:
        os.environ.pop(PLAIN_TENSORS)
        if before is not None:
            os.environ[PLAIN_TENSORS] = before
    (name,) = program.graph_signature.user_inputs
    (node,) = [node for node in program.graph.nodes if node.name == name]
    shape = [side if isinstance(side, int) else None for side in node.meta["val"].shape]
    # PyTorch's checks of the input share a state that threads would break.
    return move_to_device_pass(program, device).module(check_guards=False), shape


def _load_timm(path: Path, architecture: str | None) -> tuple[Any, Sequence[Any]]:
    if architecture is None or path.suffix != ".safetensors":
        raise BadOption(
            f"weights in a .safetensors file need the name of their timm --architecture, and only "
            f"they do; got {path} and {architecture}. Give both."
        )
    with optional_package("A timm architecture", "timm", "torch"):
        import timm
        from safetensors.torch import load_file
    msg = f"{path} does not hold weights of {architecture}: {{why}}. Check --architecture."
    with refusing(BadOption, msg, Exception):
        weights = load_file(path)
        head = timm.get_pretrained_cfg(architecture).classifier
        n_classes = len(weights[f"{head}.weight"])
        module = timm.create_model(architecture, pretrained=False, num_classes=n_classes)
        module.load_state_dict(weights)
    made = module.pretrained_cfg
    sides = made["input_size"][1:] if made.get("fixed_input_size") else (None, None)
    return module.eval(), ("n", 3, *sides)
