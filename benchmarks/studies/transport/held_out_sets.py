"""Real sets that were first looked at when the rule had been chosen on `real_sets`.

Other scores of the same hospitals, and groups of patients (sex, arm, institution) as sites.
"""

import numpy as np
import pandas as pd
from real_sets import columns, r_data


def died_before(frame, days, time="time", event="status", died=1):
    """Rows whose fate at ``days`` is known, with the label ``died``."""
    dead = (frame[event] == died) & (frame[time] < days)
    known = frame[dead | (frame[time] >= days)].copy()
    known["label"] = dead[known.index].astype(int)
    return known


def heart_others(folder):
    frame = pd.read_csv(folder / "heart_uci" / "heart_uci_4sites.csv")
    frame["chol"] = frame.chol.replace(0, np.nan)
    return columns(frame, frame.label, frame.site, ["chol", "trestbps", "cp"])


def sepsis_signs(folder):
    signs = {"HR": "max", "Resp": "max", "Temp": "max", "BUN": "max", "ICULOS": "max", "MAP": "min"}
    wanted = ["patient_id", "site", "patient_label", *signs]
    frame = pd.read_parquet(folder / "physionet2019_sepsis" / "dev.parquet", columns=wanted)
    patients = frame.groupby(["site", "patient_id"]).agg({"patient_label": "max", **signs})
    patients = patients.reset_index()
    scores = ["HR", "Resp", "Temp", "BUN", "ICULOS", "-MAP"]
    return columns(patients, patients.patient_label, patients.site, scores)


def light_chains(folder):
    del folder
    frame = died_before(r_data("survival", "flchain"), 3650, "futime", "death")
    scores = ["age", "kappa", "lambda", "creatinine"]
    return columns(frame, frame.label, frame.sex.astype(str), scores)


def gammopathy(folder):
    del folder
    frame = died_before(r_data("survival", "mgus2"), 60, "futime", "death")
    return columns(frame, frame.label, frame.sex.astype(str), ["age", "creat", "-hgb"])


def lung(folder):
    del folder
    frame = died_before(r_data("survival", "cancer"), 365, died=2)
    groups = np.where(frame.inst.isin([1, 12, 13]), "large", "small")
    groups = np.where(frame.inst.isin([3, 11, 16, 22]), "middle", groups)
    scores = ["ph.ecog", "-ph.karno", "age", "-pat.karno"]
    return columns(frame, frame.label, pd.Series(groups, index=frame.index), scores)


def marrow(folder):
    del folder
    frame = died_before(r_data("KMsurv", "bmt"), 730, "t1", "d1")
    site = pd.Series(np.where(frame.z9 == 1, "ohio", "others"), index=frame.index)
    return columns(frame, frame.label, site, ["z1", "z2", "group"])


def pockets(folder):
    del folder
    frame = r_data("medicaldata", "opt")
    late = pd.to_numeric(frame["V5.PD.avg"], errors="coerce")
    label = (late >= 2.8).where(late.notna()).astype(float)
    return columns(frame, label, frame.Clinic.astype(str), ["BL..PD.4", "BL.CAL.avg", "Age"])


def colon(folder):
    del folder
    frame = r_data("survival", "colon")
    frame = died_before(frame[frame.etype == 2], 1826)
    return columns(frame, frame.label, frame.rx.astype(str), ["nodes", "extent"])


def aspirate_others(folder):
    del folder
    from sklearn.datasets import load_breast_cancer

    frame = load_breast_cancer(as_frame=True).frame
    high = frame["mean symmetry"] > frame["mean symmetry"].median()
    scores = ["worst concavity", "mean compactness", "worst texture", "fractal dimension error"]
    return columns(frame, 1 - frame.target, high.astype(str), scores)


def diabetes_others(folder):
    frame = pd.read_csv(folder / "peers_cutpoints" / "mlbench_PimaIndiansDiabetes.csv")
    site = (frame.pregnant < 3).astype(str)
    return columns(frame, (frame.diabetes == "pos").astype(int), site, ["age", "pedigree"])


def spanish_voices(folder):
    frame = pd.read_csv(folder / "parkinson_voice" / "spain_80x3.csv")
    subjects = frame.groupby("ID").median(numeric_only=True)
    return columns(subjects, subjects.Status, subjects.Gender.astype(str), ["PPE", "RPDE", "DFA"])


def elastase(folder):
    frame = pd.read_csv(folder / "peers_cutpoints" / "OptimalCutpoints_elas.csv")
    return columns(frame, frame.status, frame.gender, ["elas"])


READERS = {
    "heart, other scores": heart_others,
    "sepsis, vital signs": sepsis_signs,
    "light chains, by sex": light_chains,
    "gammopathy, by sex": gammopathy,
    "lung, by institution": lung,
    "marrow": marrow,
    "pockets": pockets,
    "colon, by arm": colon,
    "aspirate, by symmetry": aspirate_others,
    "diabetes, by pregnancies": diabetes_others,
    "spanish voices, by sex": spanish_voices,
    "elastase, by sex": elastase,
}
