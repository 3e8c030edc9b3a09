"""AnnData: keys in obs, scores in obs, in X and in layers."""

import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from steadycut.errors import BadTable, MissingColumn, MissingScores
from steadycut.ingest import aggregate

OBS = pd.DataFrame(
    {
        "donor": pd.Categorical(["a", "a", "b", "b"]),
        "ill": [1, 1, 0, 0],
        "qc": [0.1, 0.2, np.nan, 0.4],
    },
    index=["c1", "c2", "c3", "c4"],
)
MATRIX = np.array([[1.0, 0.25], [3.0, 0.75], [0.0, 0.5], [5.0, 1.0]])
ASKED = {"patient": "donor", "label": "ill"}


def make(matrix=MATRIX):
    data = anndata.AnnData(X=matrix, obs=OBS, var=pd.DataFrame(index=["CD3", "P:16"]))
    data.layers["raw"] = matrix * 2
    return data


@pytest.fixture(params=["object", "sparse", "file", "backed"])
def source(request, tmp_path):
    data = make(sparse.csr_matrix(MATRIX) if request.param == "sparse" else MATRIX)
    if request.param in ("object", "sparse"):
        yield data
        return
    data.write_h5ad(tmp_path / "t.h5ad")
    if request.param == "file":
        yield tmp_path / "t.h5ad"
        return
    backed = anndata.read_h5ad(tmp_path / "t.h5ad", backed="r")
    yield backed
    backed.file.close()


@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb"])
@pytest.mark.parametrize(
    ("score", "expected"),
    [("X:CD3", [2.0, 2.5]), ("X:P:16", [0.5, 0.75]), ("layer:raw:CD3", [4.0, 5.0])],
)
def test_genes_are_scores(source, score, expected, engine):
    found = aggregate(source, score=score, engine=engine, **ASKED)
    assert found.scores.tolist() == expected
    assert found.patients.tolist() == ["a", "b"]
    assert found.labels.tolist() == [1, 0]


def test_columns_of_obs_are_scores_too(source):
    with pytest.raises(MissingScores, match="1 of 4 in 'qc'"):
        aggregate(source, score="qc", **ASKED)
    with pytest.warns(match="1 of 4 rows without a finite score was dropped"):
        found = aggregate(source, score="qc", missing="drop", **ASKED)
    assert found.scores.tolist() == pytest.approx([0.15, 0.4])


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"score": "X:CD4"}, "there is no gene 'CD4' in var_names"),
        ({"score": "layer:counts:CD3"}, "the layers has no column 'counts'"),
        ({"score": "QC"}, "obs has no column 'QC'; did you mean 'qc'"),
        ({"score": "qc", "patient": "donors"}, "obs has no column 'donors'"),
    ],
)
def test_what_is_not_there_is_named(source, asked, text):
    with pytest.raises(MissingColumn, match=text):
        aggregate(source, **({"patient": "donor"} | asked))


def test_two_genes_of_one_name_are_refused():
    data = make()
    data.var_names = ["CD3", "CD3"]
    with pytest.raises(BadTable, match="2 genes have this name"):
        aggregate(data, score="X:CD3", **ASKED)


def test_a_file_with_two_genes_of_one_name_gives_the_others_without_a_word(tmp_path):
    data = make()
    data.var_names = ["CD3", "CD3"]
    data.write_h5ad(tmp_path / "t.h5ad")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BadTable, match="2 genes have this name"):
            aggregate(tmp_path / "t.h5ad", score="X:CD3", **ASKED)


def _without_obs(file):
    del file["obs"]


def _without_index(file):
    del file["obs"].attrs["_index"]


def _bad_codes(file):
    file["obs/donor/codes"][...] = [0, 99, 0, 1]


def _other_length(file):
    del file["obs/ill"]
    file["obs/ill"] = np.zeros(9)


@pytest.mark.parametrize("damage", [_without_obs, _without_index, _bad_codes, _other_length])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_damaged_file_is_refused_in_one_line(tmp_path, damage, engine):
    path = tmp_path / "t.h5ad"
    make().write_h5ad(path)
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises(BadTable) as refused:
        aggregate(path, score="X:CD3", engine=engine, **ASKED)
    assert str(refused.value).isprintable()
