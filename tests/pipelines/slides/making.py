"""Slides and models for tests: small TIFF pyramids with planted lesions, and a model of colour."""

import io
from dataclasses import dataclass

import numpy as np
import onnx
import tifffile
from onnx import TensorProto, helper
from PIL import Image

TISSUE, LESION, GLASS = (200, 130, 170), (90, 40, 170), (244, 243, 244)


@dataclass(frozen=True)
class Drawing:
    """A slide: tissue in a square in the middle, lesions as squares inside it (x, y, edge)."""

    edge: int = 1024
    tissue: tuple[int, int, int] | None = (128, 128, 768)
    lesions: tuple[tuple[int, int, int], ...] = ()
    blurred: tuple[int, int, int] | None = None


def draw(drawing, seed=0):
    rng = np.random.default_rng(seed)
    picture = np.empty((drawing.edge, drawing.edge, 3))
    picture[:] = GLASS
    noise = rng.normal(0, 12, (drawing.edge, drawing.edge, 1))
    for square, colour in [
        (drawing.tissue, TISSUE),
        *((lesion, LESION) for lesion in drawing.lesions),
    ]:
        if square is not None:
            x, y, side = square
            here = np.s_[y : y + side, x : x + side]
            picture[here] = np.array(colour) + noise[here]
    if drawing.blurred is not None:
        x, y, side = drawing.blurred
        picture[y : y + side, x : x + side] = TISSUE
    return picture.clip(0, 255).astype(np.uint8)


def write_slide(path, drawing, *, mpp=0.5, levels=4, seed=0, compression="zlib"):
    """Write a tiled TIFF pyramid as OpenSlide reads it."""
    picture = draw(drawing, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tifffile.TiffWriter(path) as writer:
        for level in range(levels):
            per_centimetre = None if mpp is None else (1e4 / (mpp * 2**level),) * 2
            writer.write(
                picture,
                tile=(256, 256),
                photometric="rgb",
                compression=compression,
                resolution=per_centimetre,
                resolutionunit=None if mpp is None else "CENTIMETER",
                subfiletype=int(level > 0),
                metadata=None,
            )
            high, wide = (side // 2 * 2 for side in picture.shape[:2])
            boxes = picture[:high, :wide].reshape(high // 2, 2, wide // 2, 2, 3)
            picture = boxes.mean(axis=(1, 3)).round().astype(np.uint8)


def shared_tables(jpeg):
    """Split a JPEG file as TIFF does: the tables that tiles share, and the tile without them."""
    tables, rest, at = jpeg[:2], jpeg[:2], 2
    while jpeg[at + 1] != 0xDA:
        end = at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if jpeg[at + 1] in {0xDB, 0xC4}:
            tables += jpeg[at:end]
        else:
            rest += jpeg[at:end]
        at = end
    return tables + b"\xff\xd9", rest + jpeg[at:]


def write_jpeg_slide(path, drawing, *, mpp=0.5, tile=64, seed=0, shared=True, rgb=False):
    """Write one level of JPEG tiles, with tables that they share, or whole files."""
    picture = draw(drawing, seed)
    n = drawing.edge // tile
    coded = []
    for row in range(n):
        for column in range(n):
            here = picture[row * tile : row * tile + tile, column * tile : column * tile + tile]
            sink = io.BytesIO()
            how = {"keep_rgb": True} if rgb else {"subsampling": 2}
            Image.fromarray(here).save(sink, "JPEG", quality=90, **how)
            coded.append(sink.getvalue())
    tags = []
    if shared:
        tables, _ = shared_tables(coded[0])
        coded = [shared_tables(one)[1] for one in coded]
        tags = [(347, 7, len(tables), tables, True)]
    # Tiles come coded. tifffile asks for the encoder all the same, which is in another package.
    tifffile._imagecodecs.jpeg_encode = tifffile._imagecodecs.lzma_encode
    path.parent.mkdir(parents=True, exist_ok=True)
    with tifffile.TiffWriter(path) as writer:
        writer.write(
            iter(coded),
            shape=picture.shape,
            dtype=np.uint8,
            tile=(tile, tile),
            compression="jpeg",
            photometric="ycbcr",
            subsampling=None if rgb else (2, 2),
            resolution=(1e4 / mpp, 1e4 / mpp),
            resolutionunit="CENTIMETER",
            metadata=None,
            extratags=tags,
        )
    if rgb:
        # tifffile states YCbCr whatever it is told.
        with tifffile.TiffFile(path, mode="r+") as file:
            file.pages[0].tags["PhotometricInterpretation"].overwrite(2)
    return path


def write_model(path, *, layout="nchw", batch="n", edge=None, end="Sigmoid", inputs="float"):
    """Write a model whose score rises with blue and falls with red: lesions are near 1."""
    side = edge or "s"
    shape = [batch, 3, side, side] if layout == "nchw" else [batch, side, side, 3]
    axes = [2, 3] if layout == "nchw" else [1, 2]
    kind = {"float": TensorProto.FLOAT, "uint8": TensorProto.UINT8}[inputs]
    scale = 1.0 if inputs == "float" else 1 / 255
    width = 2 if end == "Softmax" else 1
    column = [-12.0 * scale, -12.0 * scale, 12.0 * scale]
    weights = [[0.0] * 3, column] if width == 2 else [column]
    start = [helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT)]
    nodes = [
        *start,
        helper.make_node("ReduceMean", ["f", "axes"], ["m"], keepdims=0),
        helper.make_node("Gemm", ["m", "w", "b"], ["l"]),
        *([helper.make_node(end, ["l"], ["y"])] if end else []),
    ]
    graph = helper.make_graph(
        nodes,
        "colour",
        [helper.make_tensor_value_info("x", kind, shape)],
        [helper.make_tensor_value_info("y" if end else "l", TensorProto.FLOAT, [batch, width])],
        [
            helper.make_tensor("axes", TensorProto.INT64, [2], axes),
            helper.make_tensor("w", TensorProto.FLOAT, [3, width], np.array(weights).T.ravel()),
            helper.make_tensor("b", TensorProto.FLOAT, [width], [0.0, 2.0][-width:]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)
    return path
