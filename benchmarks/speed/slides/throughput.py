"""Tiles a second and peak memory: steadycut's pipeline and a plain OpenSlide DeepZoom loop.

    python benchmarks/speed/slides/throughput.py [--edge 32768] [--repeats 3]

Both read the same tiles at 10x from one generated slide and score them with the same ONNX model,
32 at a time. The loop is told which tiles have tissue; the pipeline finds out itself and also
judges the quality of every tile. Each run is a process of its own, tied to one or two cores, the
ways take turns, and the best of the repeats counts. Memory is the peak of the process. Packages
are loaded before the clock starts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
BATCH, TILE = 32, 256


def make_model(path):
    """A small convolutional classifier, weights at random."""
    import onnx
    from onnx import TensorProto, helper

    rng = np.random.default_rng(0)

    def constant(name, shape):
        values = rng.normal(0, 0.1, shape).astype(np.float32)
        return helper.make_tensor(name, TensorProto.FLOAT, shape, values.ravel().tolist())

    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], strides=[4, 4], kernel_shape=[7, 7]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("GlobalAveragePool", ["b"], ["c"]),
        helper.make_node("Flatten", ["c"], ["d"]),
        helper.make_node("Gemm", ["d", "w2"], ["e"]),
        helper.make_node("Sigmoid", ["e"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiles",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, "h", "w"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])],
        [constant("w1", [8, 3, 7, 7]), constant("w2", [8, 1])],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


def tissue_places(n):
    from make_slide import is_tissue

    return [(c, r) for r in range(n) for c in range(n) if is_tissue((c + 0.5) / n, (r + 0.5) / n)]


def loop(slide_path, model_path, out):
    """What everybody writes first."""
    import onnxruntime
    from openslide import OpenSlide
    from openslide.deepzoom import DeepZoomGenerator

    del out
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(model_path), settings, providers=["CPUExecutionProvider"]
    )
    slide = OpenSlide(slide_path)
    zoom = DeepZoomGenerator(slide, tile_size=TILE, overlap=0)
    level = zoom.level_count - 3
    places = tissue_places(slide.dimensions[0] // (4 * TILE))
    scores = []
    for start in range(0, len(places), BATCH):
        tiles = [np.asarray(zoom.get_tile(level, at)) for at in places[start : start + BATCH]]
        batch = (np.stack(tiles) / np.float32(255)).transpose(0, 3, 1, 2)
        scores += session.run(None, {"x": np.ascontiguousarray(batch)})[0][:, 0].tolist()
    return len(scores)


def pipeline(slide_path, model_path, out, jobs):
    from steadycut.pipelines.slides import Job, ModelOptions, TileModel, TileOptions, score_slides

    model = TileModel(model_path, ModelOptions())
    options = TileOptions(tile=TILE, batch=BATCH)
    job = Job(model=model, options=options, out=out, n_jobs=jobs)
    done, problems = score_slides([slide_path], job)
    assert not problems, problems
    # Tiles that were read; some of them turn out to be glass at the rim of the tissue.
    return done[0].counts["tiles"] - done[0].counts["without_tissue"]


WAYS = {
    "DeepZoom loop, 1 core": (1, loop),
    "steadycut --jobs 1, 1 core": (1, lambda *files: pipeline(*files, jobs=1)),
    "steadycut --jobs 2, 2 cores": (2, lambda *files: pipeline(*files, jobs=2)),
}


def load_packages():
    import onnxruntime
    import openslide.deepzoom
    import pandas as pd  # pyarrow loads it
    import pyarrow.parquet

    import steadycut.pipelines.slides

    return onnxruntime, openslide.deepzoom, pd, pyarrow.parquet, steadycut.pipelines.slides


def run_here(way, folder):
    load_packages()
    cores, work = WAYS[way]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    with tempfile.TemporaryDirectory() as out:
        start, busy = time.perf_counter(), time.process_time()
        tiles = work(folder / "slide.tif", folder / "model.onnx", Path(out))
        seconds, cpu = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"tiles": tiles, "seconds": seconds, "cpu": cpu, "peak": peak}))


def run_apart(way, folder):
    command = [sys.executable, __file__, "--way", way, "--folder", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edge", type=int, default=98304)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--way")
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    if asked.way:
        run_here(asked.way, asked.folder)
        return
    from make_slide import make_slide

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_slide(folder / "slide.tif", asked.edge)
        make_model(folder / "model.onnx")
        rounds = [{way: run_apart(way, folder) for way in WAYS} for _ in range(asked.repeats)]
    best = {
        way: max((r[way] for r in rounds), key=lambda one: one["tiles"] / one["seconds"])
        for way in WAYS
    }
    base = best["DeepZoom loop, 1 core"]
    print(f"slide of {asked.edge} by {asked.edge} pixels, best of {asked.repeats} rounds\n")
    print("| way | tiles | a second | times the loop | a CPU second | peak memory, MB |")
    print("|---|---|---|---|---|---|")
    for way, one in best.items():
        speed, reference = one["tiles"] / one["seconds"], base["tiles"] / base["seconds"]
        numbers = one["tiles"], speed, speed / reference, one["tiles"] / one["cpu"], one["peak"]
        print(f"| {way} | {{}} | {{:.0f}} | {{:.2f}} | {{:.0f}} | {{:.0f}} |".format(*numbers))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
