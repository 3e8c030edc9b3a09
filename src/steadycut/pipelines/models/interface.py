"""What a loaded model can do, and the options that all models share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, check_choice
from steadycut.errors import BadOption

ACTIVATIONS = ("none", "sigmoid", "softmax")
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a model runs and which part of its output is the score.

    Parameters
    ----------
    activation
        What turns the model's output into the score: ``none``, ``sigmoid`` or ``softmax``.
    output
        Name of the output, or its number if a PyTorch model does not name it; default the first.
    positive
        Column of the output that is the score; by default the last, if there are one or two.
    architecture
        Name of the timm architecture whose weights a ``.safetensors`` file holds.
    device
        ``cpu``, ``cuda``, or ``auto``: the GPU if there is one.
    fast
        On the GPU: half precision, and JPEG tiles are decoded there; scores differ a little.
    """

    activation: str = "none"
    output: str | None = None
    positive: int | None = None
    architecture: str | None = None
    device: str = "auto"
    fast: bool = False

    def __post_init__(self) -> None:
        check_choice("activation", self.activation, ACTIVATIONS)
        check_choice("device", self.device, DEVICES)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Look:
    """What a model wants images to look like.

    ``edge`` is (height, width), None if free. A pixel of 0 to 255 is multiplied by ``scale``, and
    ``offset`` is added; both have one number per channel.
    """

    channels_first: bool
    edge: tuple[int, int] | None
    scale: FloatArray
    offset: FloatArray


# Measures, and outputs, of tiles.
Judged = tuple[NDArray[Any], NDArray[Any]]


class Model(Protocol):
    """A loaded model.

    ``shape`` is that of its input; an axis that is not a number is free, and it is
    empty if the file does not state it.
    """

    device: str
    shape: Sequence[Any]

    def decode(self, coded: Sequence[bytearray]) -> Any:
        """Return JPEG files as tiles on the device; None if the CPU must decode them."""
        ...

    def images(self, tiles: Any, look: Look) -> Any:
        """Return tiles (tile, y, x, channel) as the model's input; channels after RGB are cut."""
        ...

    def run(self, inputs: Any) -> NDArray[Any]:
        """Return the output for one batch."""
        ...

    def judge(self, tiles: Any, look: Look, n: int, measure: Callable[[Any], Any]) -> Judged | None:
        """Return what ``measure`` gives for tiles, and the output for them, ``n`` at a time.

        Both come from the GPU together. None if the model runs on the CPU.
        """
        ...


def refuse_gpu(why: object, advice: str) -> BadOption:
    """Return the error for a GPU that cannot be used."""
    reason = str(why).strip().partition("\n")[0].rstrip(".")
    return BadOption(f"the GPU cannot be used: {reason}. {advice}, or use --device cpu.")
