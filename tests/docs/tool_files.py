"""Small files in the layouts that other tools write: the same 60 patients, with two slides each.

Run as ``python -m tests.docs.tool_files FOLDER`` to have them.
"""

import csv
import json
import sqlite3
import sys
from pathlib import Path

import numpy as np

PATIENTS, SLIDES, TILES = 60, 2, 4


def rows():
    """Yield patient, slide, label, tile and score; the scores of the ill are higher."""
    rng = np.random.default_rng(39)
    for patient in range(PATIENTS):
        ill = int(rng.random() < 0.4)
        for slide in range(SLIDES):
            name = f"TCGA-AB-{patient:04}-01Z-00-DX{slide + 1}"
            for tile in range(TILES):
                score = 1 / (1 + np.exp(-rng.normal(3 * ill - 1.5, 1)))
                yield f"TCGA-AB-{patient:04}", name, ill, tile, round(float(score), 4)


ROWS = list(rows())
NAMES = sorted({slide for _, slide, *_ in ROWS})
ILL = {slide: ill for _, slide, ill, *_ in ROWS}
WHOSE = {slide: patient for patient, slide, *_ in ROWS}


def scores(slide):
    """The scores of the tiles of a slide."""
    return [score for _, name, _, _, score in ROWS if name == slide]


def write(path, header, lines, delimiter=","):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(header)
        writer.writerows(lines)


def sheet(folder):
    lines = [[name, WHOSE[name], ILL[name]] for name in NAMES]
    write(folder / "slides.csv", ["slide", "patient", "ill"], lines)


def qupath(folder):
    header = ["Image", "Class", "Parent", "Centroid X µm", "Nucleus: DAB OD mean"]
    lines = [[f"{slide}.svs", "Tumor", "Root object", tile, s] for _, slide, _, tile, s in ROWS]
    write(folder / "qupath" / "measurements.txt", header, lines, "\t")
    for name in NAMES:
        features = [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [tile, 0]},
                "properties": {
                    "objectType": "detection",
                    "classification": {"name": "Tumor"},
                    "measurements": {"Nucleus: DAB OD mean": score},
                },
            }
            for tile, score in enumerate(scores(name))
        ]
        content = json.dumps({"type": "FeatureCollection", "features": features})
        (folder / "qupath" / f"{name}.geojson").write_text(content, "utf-8")


def clam(folder):
    means = {name: np.mean(scores(name)) for name in NAMES}
    lines = [[name, ILL[name], int(mean > 0.5), 1 - mean, mean] for name, mean in means.items()]
    write(folder / "clam" / "fold_0.csv", ["slide_id", "Y", "Y_hat", "p_0", "p_1"], lines)


def stamp(folder):
    header = ["PATIENT", "status", "pred", "status_MSIH", "status_nonMSIH", "loss"]
    lines = []
    for patient in sorted(set(WHOSE.values())):
        share = np.mean([score for name, _, _, _, score in ROWS if name == patient])
        truth = next("MSIH" if ill else "nonMSIH" for name, _, ill, *_ in ROWS if name == patient)
        lines.append([patient, truth, "MSIH" if share > 0.5 else "nonMSIH", share, 1 - share, 0.1])
    write(folder / "stamp" / "patient-preds.csv", header, lines)


def wsinfer(folder):
    header = ["minx", "miny", "width", "height", "prob_Tumor", "prob_Other"]
    for name in NAMES:
        lines = [[at * 350, 0, 350, 350, s, 1 - s] for at, s in enumerate(scores(name))]
        write(folder / "wsinfer" / "model-outputs-csv" / f"{name}.csv", header, lines)


def slideflow(folder):
    import pandas as pd

    (folder / "slideflow").mkdir()
    columns = ["slide", "ill-y_true", "ill-y_pred0", "ill-y_pred1", "loc_x", "loc_y"]
    tiles = [[name, ill, 1 - score, score, tile, 0] for _, name, ill, tile, score in ROWS]
    path = folder / "slideflow" / "tile_predictions_val_epoch1.parquet.gzip"
    pd.DataFrame(tiles, columns=columns).to_parquet(path, compression="gzip")
    means = [[n, ILL[n], 1 - np.mean(scores(n)), np.mean(scores(n))] for n in NAMES]
    mil = pd.DataFrame(means, columns=["slide", "y_true", "y_pred0", "y_pred1"])
    mil.to_parquet(folder / "slideflow" / "predictions.parquet")


def tiatoolbox(folder):
    import zarr

    (folder / "tiatoolbox").mkdir()
    for name in NAMES:
        share = np.array(scores(name))
        group = zarr.open_group(
            str(folder / "tiatoolbox" / f"{name}.zarr"), mode="w", zarr_format=2
        )
        arrays = {
            "probabilities": np.column_stack([1 - share, share]),
            "predictions": (share > 0.5).astype(int),
            "coordinates": np.zeros((share.size, 4), dtype=int),
        }
        for key, values in arrays.items():
            group.create_array(key, data=values)
        store = sqlite3.connect(folder / "tiatoolbox" / f"{name}.db")
        store.execute(
            "CREATE TABLE annotations (id INTEGER PRIMARY KEY, key TEXT UNIQUE, objtype TEXT, "
            "cx INTEGER, cy INTEGER, geometry BLOB, properties TEXT, area INTEGER)"
        )
        for tile, score in enumerate(share.tolist()):
            properties = json.dumps({"prob_tumour": score, "type": "tumour"})
            store.execute(
                "INSERT INTO annotations (key, objtype, properties) VALUES (?, 'Polygon', ?)",
                [str(tile), properties],
            )
        store.commit()
        store.close()


def anndata(folder):
    import anndata
    import pandas as pd

    obs = pd.DataFrame(
        {"donor": [p for p, *_ in ROWS], "ill": [ill for _, _, ill, *_ in ROWS]},
        index=[str(at) for at in range(len(ROWS))],
    )
    matrix = np.array([[score, 0.5] for *_, score in ROWS])
    data = anndata.AnnData(matrix, obs=obs, var=pd.DataFrame(index=["CD8A", "CD3-A"]))
    data.write_h5ad(folder / "cells.h5ad")


def statistics(folder):
    import pandas as pd
    import pyreadstat

    columns = {
        "id": np.arange(PATIENTS, dtype=float),
        "risk": [np.mean(scores(name)) for name in NAMES[::SLIDES]],
        "ill": [float(ILL[name]) for name in NAMES[::SLIDES]],
    }
    frame = pd.DataFrame(columns)
    pyreadstat.write_sav(frame, str(folder / "cohort.sav"))
    pyreadstat.write_dta(frame, str(folder / "cohort.dta"))
    pyreadstat.write_xport(frame, str(folder / "cohort.xpt"))


MAKERS = (sheet, qupath, clam, stamp, wsinfer, slideflow, tiatoolbox, anndata)


if __name__ == "__main__":
    for make in (*MAKERS, statistics):
        make(Path(sys.argv[1]))
