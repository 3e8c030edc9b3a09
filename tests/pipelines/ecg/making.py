"""Synthetic 12-lead ECGs as WFDB records: sinus rhythm, or atrial fibrillation."""

import numpy as np
import wfdb

from steadycut.pipelines.ecg.records import LEADS

# Centre and width in seconds, height in millivolts.
P, Q, R, S, T = (
    (-0.14, 0.02, 0.15),
    (-0.03, 0.008, -0.1),
    (0.0, 0.012, 1.0),
    (0.03, 0.01, -0.2),
    (0.28, 0.05, 0.3),
)


def make_ecg(rng, *, sick=False, seconds=10.0, rate=500.0, between=(0.7, 0.95)):
    """Return beats and leads (lead, sample) in millivolts; the sick have no P and no rhythm.

    The mean time from beat to beat is drawn within ``between``, in seconds.
    """
    mean = rng.uniform(*between)
    spread = 0.22 if sick else 0.02
    times = np.maximum(mean * (1 + spread * rng.normal(size=60)), 0.4)
    beats = 0.4 + np.cumsum(times) - times[0]
    beats = beats[beats < seconds - 0.1]
    time = np.arange(round(seconds * rate)) / rate
    waves = (Q, R, S, T) if sick else (P, Q, R, S, T)
    beat = sum(
        height * np.exp(-0.5 * ((time[None] - beats[:, None] - at) / width) ** 2)
        for at, width, height in waves
    ).sum(axis=0)
    gains = rng.uniform(0.6, 1.4, 12) * np.array([1, 1, 1, -1, 1, 1, -1, -1, 1, 1, 1, 1])
    drift = 0.2 * np.sin(2 * np.pi * 0.2 * time + rng.uniform(0, 6, (12, 1)))
    return beats, gains[:, None] * beat + drift + rng.normal(0, 0.02, (12, time.size))


def write_record(path, leads, *, rate=500.0, names=LEADS, units="mV"):
    """Write a WFDB record: a header and a file of 16-bit numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scale = {"mV": 1.0, "uV": 1000.0}.get(units, 1.0)
    wfdb.wrsamp(
        path.name,
        fs=rate,
        units=[units] * len(leads),
        sig_name=list(names),
        p_signal=np.asarray(leads).T * scale,
        fmt=["16"] * len(leads),
        write_dir=str(path.parent),
    )
    return path.with_name(path.name + ".hea")


def write_mimic(folder, n_patients=40, *, seed=0, readings=True):
    """Write a set like MIMIC-IV-ECG Demo: every third patient fibrillates; return the labels."""
    rng = np.random.default_rng(seed)
    records, reports, labels = [], [], {}
    for i in range(n_patients):
        subject, sick = 10_000_000 + 37 * i, i % 3 == 0
        labels[str(subject)] = int(sick)
        for number in range(1 + i % 2):
            study = 100_000_000 + 10 * i + number
            place = f"files/p{subject}/s{study}/{study}"
            _, leads = make_ecg(rng, sick=sick)
            write_record(folder / place, leads)
            records.append(f"{subject},{study},{study},2100-01-01 00:00:00,{place}")
            said = "Atrial fibrillation with rapid rate" if sick else "Sinus rhythm"
            reports.append(f"{subject},{study},,{said},Abnormal ECG")
    head = "subject_id,study_id,file_name,ecg_time,path\n"
    (folder / "record_list.csv").write_text(head + "\n".join(records) + "\n")
    if readings:
        head = "subject_id,study_id,cart_id,report_0,report_1\n"
        (folder / "machine_measurements.csv").write_text(head + "\n".join(reports) + "\n")
    return labels
