"""The options of a model that a user brings, for tiles and for segments."""

from dataclasses import dataclass
from pathlib import Path

from steadycut.cli.options import option, switch, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRunOptions:
    """Model."""

    model: Path | None = option("FILE", "Model that scores segments: ONNX or PyTorch.")
    architecture: str | None = option("NAME", "Architecture of timm, for .safetensors weights.")
    activation: str = option(
        "none|sigmoid|softmax", "What turns the output into a score.", default="none"
    )
    output: str | None = option("NAME", "Output of the model. [default: the first]")
    positive: int | None = whole(
        "N", "Column of the output that is the score. [default: the last of two]"
    )
    device: str = option("auto|cpu|cuda", "Where the model runs.", default="auto")
    fast: bool = switch("--fast", "Half precision and JPEG decoding on the GPU.")
