"""Tiles per second from slides to scores: the parts alone, the whole, and the loops of others.

    python benchmarks/speed/slides/gpu.py --out benchmarks/results/slides_gpu.json
    python benchmarks/speed/slides/gpu.py --device cpu --edge 8192 --slides 3 --jobs 2

Generated slides of JPEG tiles of 256 pixels, read at the resolution of their finest level, and
GoogLeNet with random weights and an input of 224 pixels, as an exported program. First: how far the
scores on the GPU are from those on the CPU, and how many patients of small slides get another call
by a rule that was fitted on the scores of the CPU. The parts are: the bytes of the tiles, decoding,
and the model with its input on the device already. The loops are told where the tissue is and judge
no tiles. The best of the repeats counts. Results are stored after every part.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from googlenet import googlenet, settled
from make_slide import is_tissue, jpeg, make_slide, tissue_tiles
from throughput import make_model

from steadycut import PatientScores, fit
from steadycut.cli.score.slides import SWITCH
from steadycut.io.parquet import load_duckdb
from steadycut.pipelines.parallel import threads
from steadycut.pipelines.slides import Job, ModelOptions, TileModel, TileOptions, score_slides
from steadycut.pipelines.slides.jpeg import decode, find_jpeg_tiles
from steadycut.pipelines.slides.pipeline import judge_and_score, score_block
from steadycut.pipelines.slides.reader import open_slide
from steadycut.pipelines.slides.tiles import plan_grid, read_tiles, tiles_on_tissue
from steadycut.pipelines.slides.tissue import find_tissue

TILE, EDGE, MPP = 256, 224, 0.5
FAST, BYTES_ON_CPU = "cuda, fast", "cuda, fast, but decoded on the CPU"


def export_model(path):
    torch.manual_seed(0)
    made, glass = tissue_tiles(np.random.default_rng(0), TILE)
    # Mixtures of tissue and glass, so that tiles differ.
    shares = np.linspace(0, 1, 4)
    mixed = [s * m + (1 - s) * glass for m in made for s in shares]
    pixels = torch.from_numpy(np.stack(mixed)[:, :EDGE, :EDGE]).permute(0, 3, 1, 2).float() / 255
    model = settled(googlenet(), pixels)
    batch = ({0: torch.export.Dim("n", min=1, max=4096)},)
    program = torch.export.export(model, (pixels[:8],), dynamic_shapes=batch)
    torch.export.save(program, path)


class Parts:
    """The tiles of one slide, cut into blocks."""

    def __init__(self, path, options):
        self.context = open_slide(path)
        self.slide = self.context.__enter__()
        self.grid = plan_grid(self.slide, options)
        tissue = find_tissue(self.slide)
        places = tiles_on_tissue(self.grid, tissue, options.min_tissue)
        # Full blocks alone, several times: the parts are measured at their best.
        blocks = list(places.blocks(options.batch))[: places.column.size // options.batch]
        self.blocks = blocks * 4
        self.n = len(self.blocks) * options.batch
        self.jpegs = find_jpeg_tiles(self.slide, self.grid, places)
        assert self.jpegs is not None

    def seconds(self, work, jobs):
        start = time.perf_counter()
        with threads(jobs) as spread:
            for _ in spread(work, self.blocks):
                pass
        return time.perf_counter() - start


def part_speeds(paths, options, model, asked):
    """Tiles per second of each part, over all blocks of one slide."""
    parts = Parts(paths[0], options)
    inner, jobs = model.model, asked.jobs[0]
    first = parts.blocks[0]
    coded = parts.jpegs.read(first)
    pixels = decode(coded, TILE)
    if asked.device == "cuda":
        pixels = inner.decode(coded) if inner.decodes else torch.from_numpy(pixels).cuda()
    job = Job(model=model, options=options, out=Path())
    inputs = model.prepare(pixels)

    def score(_):
        return judge_and_score(pixels, parts.grid, first, job)

    ways = {
        "bytes of the tiles": parts.jpegs.read,
        "OpenSlide": partial(read_tiles, parts.slide, parts.grid),
        "bytes and decoding, CPU": lambda block: decode(parts.jpegs.read(block), TILE),
        "model": lambda _: inner.run(inputs),
        "quality, normalisation and model": score,
        "blocks": lambda block: score_block(parts.slide, parts.grid, parts.jpegs, job, block),
    }
    if getattr(inner, "decodes", False):
        ways["bytes and decoding, GPU"] = lambda block: inner.decode(parts.jpegs.read(block))
    speeds = {}
    for name, work in ways.items():
        work(first)
        best = min(parts.seconds(work, jobs) for _ in range(2))
        speeds[name] = parts.n / best
    parts.context.__exit__(None, None, None)
    return speeds


def whole(paths, options, model, jobs):
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        job = Job(model=model, options=options, out=Path(out), n_jobs=jobs)
        done, problems = score_slides(paths, job)
        seconds = time.perf_counter() - start
    assert not problems, problems
    return sum(one.counts["scored"] for one in done) / seconds


class Tiles(torch.utils.data.Dataset):
    """What everybody writes: OpenSlide opened in every worker, one tile per item."""

    def __init__(self, path):
        from openslide import OpenSlide

        n = OpenSlide(path).dimensions[0] // TILE
        self.path, self.slide = path, None
        self.at = [
            (c, r) for r in range(n) for c in range(n) if is_tissue((c + 0.5) / n, (r + 0.5) / n)
        ]

    def __len__(self):
        return len(self.at)

    def __getitem__(self, index):
        from openslide import OpenSlide

        self.slide = self.slide or OpenSlide(self.path)
        column, row = self.at[index]
        picture = self.slide.read_region((column * TILE, row * TILE), 0, (TILE, TILE))
        pixels = np.asarray(picture.convert("RGB").resize((EDGE, EDGE), 2))
        return torch.from_numpy(pixels.astype(np.float32) / 255).permute(2, 0, 1)


def loader_loop(path, module, device, batch, workers):
    how = {"num_workers": workers, "pin_memory": device == "cuda", "batch_size": batch}
    dtype = next(iter(module.state_dict().values())).dtype
    start, n = time.perf_counter(), 0
    with torch.inference_mode():
        for pixels in torch.utils.data.DataLoader(Tiles(path), **how):
            given = pixels.to(device, non_blocking=True).to(dtype)
            n += module(given).softmax(1)[:, 1].float().cpu().numpy().size
    return n / (time.perf_counter() - start)


def read_scores(folder):
    """Scores of all tiles of a run, in the order of slide and place."""
    pattern = str(folder / "tiles" / "*.parquet")
    query = f"select slide, x, y, score from read_parquet('{pattern}') order by all"  # noqa: S608
    return load_duckdb().sql(query).fetchnumpy()


def patient_slides(folder, n):
    """Slides of 64 tiles; in the ill some tissue is darker."""
    made, glass = tissue_tiles(np.random.default_rng(1), TILE)
    rng, paths = np.random.default_rng(2), []
    for number in range(n):
        # Shares of dark tissue that overlap between the ill and the well.
        n_dark = rng.integers(0, 5) + 3 * (number % 2)
        dark = [(0.8 * tile).astype(np.uint8) for tile in made[:n_dark]]
        coded = [jpeg(tile) for tile in [*made[n_dark:], *dark]], jpeg(glass)
        paths.append(folder / f"p{number:03d}.tif")
        make_slide(paths[-1], 2048, MPP, seed=number, coded=coded)
    return paths


def patient_scores(got):
    slides, place = np.unique(got["slide"], return_inverse=True)
    return np.bincount(place, got["score"]) / np.bincount(place, minlength=slides.size)


def agreement(folder, options, ways, asked):
    """How far scores are from those on the CPU, and how many patients get another call."""
    paths, scores = patient_slides(folder, asked.patients), {}
    for name, how in {"cpu": ModelOptions(device="cpu", activation="softmax"), **ways}.items():
        model = TileModel(folder / "model.pt2", how)
        if name == BYTES_ON_CPU:
            model.model.decodes = False
        job = Job(model=model, options=options, out=folder / name, n_jobs=asked.jobs[0])
        _, problems = score_slides(paths, job)
        assert not problems, problems
        scores[name] = read_scores(folder / name)
    base = scores.pop("cpu")
    labels = np.arange(asked.patients) % 2
    rule = fit(PatientScores(scores=patient_scores(base), labels=labels))
    result = {"tiles": base["score"].size, "deviation_of_scores": float(base["score"].std())}
    for name, got in scores.items():
        np.testing.assert_array_equal(got["x"], base["x"])
        gap = np.abs(got["score"] - base["score"])
        calls = [patient_scores(one) >= rule.threshold for one in (base, got)]
        changed = int((calls[0] != calls[1]).sum())
        result[name] = {"largest": gap.max(), "mean": gap.mean(), "calls_changed": changed}
    return result


def decoder_gap(path, options, model):
    """How far pixels decoded on the GPU are from those of the CPU, in grey values."""
    parts = Parts(path, options)
    coded = parts.jpegs.read(parts.blocks[0])
    gap = np.abs(model.model.decode(coded).cpu().numpy() - decode(coded, TILE).astype(float))
    parts.context.__exit__(None, None, None)
    return {"largest": gap.max(), "mean": gap.mean()}


def measure(asked, folder, keep):
    """Measure the most important things first; ``keep`` stores what there is so far."""
    file = folder / ("model.onnx" if asked.small else "model.pt2")
    (make_model if asked.small else export_model)(file)
    paths = [folder / f"s{number:02d}.tif" for number in range(asked.slides)]
    with ProcessPoolExecutor() as pool:
        work = [pool.submit(make_slide, path, asked.edge, MPP, k) for k, path in enumerate(paths)]
        for one in work:
            one.result()
    cuda = asked.device == "cuda"
    usual = {"device": asked.device, "activation": "none" if asked.small else "softmax"}
    how = {asked.device: ModelOptions(**usual)}
    if cuda:
        how = {FAST: ModelOptions(**usual, fast=True), **how}
    models = {name: TileModel(file, one) for name, one in how.items()}
    result = {
        "machine": torch.cuda.get_device_name() if cuda else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "torch": torch.__version__,
        "settings": {key: value for key, value in vars(asked).items() if key != "out"},
        "megabytes": sum(path.stat().st_size for path in paths) / 1e6,
        "parts": {},
        "rounds": [],
    }
    options = TileOptions(tile=TILE, mpp=MPP, batch=asked.batch[0])
    first = next(iter(models))
    keep(result)
    if cuda:
        result["agreement"] = agreement(folder, options, {**how, BYTES_ON_CPU: how[FAST]}, asked)
        result["decoders"] = decoder_gap(paths[0], options, models[FAST])
        keep(result)
    result["parts"][first] = part_speeds(paths, options, models[first], asked)
    keep(result)
    ways = {
        f"steadycut, {first}, {jobs} jobs, batch {batch}": partial(
            whole, paths, replace(options, batch=batch), models[first], jobs
        )
        for batch in asked.batch
        for jobs in asked.jobs
    }
    for _ in range(asked.repeats):
        result["rounds"].append({})
        for way, work in ways.items():
            result["rounds"][-1][way] = work()
            keep(result)
    if cuda:
        result["is_graph"] = [
            recording.graph is not None for recording in models[FAST].model.recordings.values()
        ]
        loop = partial(loader_loop, paths[0], models[FAST].model.module, asked.device)
        ways = {
            "DataLoader, batch 256": partial(loop, 256, asked.jobs[0]),
            "one after the other, batch 32": partial(loop, 32, 0),
            "steadycut, cuda": partial(whole, paths, options, models["cuda"], asked.jobs[0]),
        }
        for way, work in ways.items():
            result["rounds"][0][way] = work()
            keep(result)
        result["parts"]["cuda"] = part_speeds(paths, options, models["cuda"], asked)
    result["whole"] = {
        way: max(one[way] for one in result["rounds"] if way in one)
        for way in dict.fromkeys(way for one in result["rounds"] for way in one)
    }
    keep(result)
    return result


def refuse_graph(*_, **__):
    raise RuntimeError("no graph")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--edge", type=int, default=32768)
    parser.add_argument("--slides", type=int, default=24)
    parser.add_argument("--patients", type=int, default=20)
    parser.add_argument("--jobs", type=int, nargs="+", default=[os.cpu_count()])
    parser.add_argument("--small", action="store_true", help="a small ONNX model, on the CPU")
    parser.add_argument("--batch", type=int, nargs="+", default=[256])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--no-graph", action="store_true", help="launch every step of the model")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    # As the command does.
    sys.setswitchinterval(SWITCH)
    if asked.no_graph:
        torch.cuda.graph = refuse_graph

    def keep(result):
        text = json.dumps(result, indent=1, default=float)
        if asked.out:
            asked.out.write_text(text + "\n")
        print(list(result["rounds"]), result["parts"], flush=True)

    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(measure(asked, Path(name), keep), indent=1, default=float))


if __name__ == "__main__":
    main()
