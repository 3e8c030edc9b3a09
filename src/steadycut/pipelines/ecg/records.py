"""WFDB records -> the twelve standard leads in millivolts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.rounding import percent
from steadycut.errors import BadFile, refusing
from steadycut.io.packages import optional_package
from steadycut.pipelines.driver import FileKind

LEADS = ("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")
# How headers usually spell them; in others they are found by `_lead_places`.
SPELLINGS = [*LEADS, *(lead.lower() for lead in LEADS), *(lead.upper() for lead in LEADS[3:6])]
MILLIVOLTS = {"mv": 1.0, "uv": 1e-3, "µv": 1e-3, "v": 1e3, "nv": 1e-6}
# Below the first rate the waves of a beat are lost; above the second the header is wrong.
LOWEST_RATE, HIGHEST_RATE = 100.0, 20_000.0
# Largest share of a lead's samples that may be missing; they are interpolated.
MOST_MISSING = 0.05


def header_of(path: Path) -> Path:
    """Return the header file of a record, which may be given by its name or its header.

    Examples
    --------
    >>> header_of(Path("s1")).name, header_of(Path("s1.hea")).name
    ('s1.hea', 's1.hea')
    """
    return path if path.suffix == ".hea" else path.with_name(path.name + ".hea")


RECORDS = FileKind(
    name="record", title="WFDB record", endings=frozenset({".hea"}), file_at=header_of
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Record:
    """The twelve leads as recorded, in the order of `LEADS`: (lead, sample), in millivolts."""

    name: str
    signal: FloatArray
    rate: float


def read_record(path: Path) -> Record:
    """Read a WFDB record; channels besides the twelve leads are ignored.

    Raises
    ------
    BadFile
        If the record cannot be read, lacks a lead, or has an impossible sampling rate.
    """
    wfdb = import_wfdb()
    name = str(path.with_suffix(""))
    try:
        # Files of other channels are not opened: they may be missing.
        record = wfdb.rdrecord(name, channel_names=SPELLINGS)
        if len(record.sig_name or []) < len(LEADS):
            names = wfdb.rdheader(name, rd_segments=True).sig_name or []
            record = wfdb.rdrecord(name, channels=_lead_places(names))
    except BadFile:
        raise
    except Exception as error:  # noqa: BLE001, wfdb raises whatever numpy and the system raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise BadFile(f"it cannot be read ({why[:120]}). Is the file cut short?") from None
    rate = _check_rate(record.fs)
    places = _lead_places(record.sig_name or [])
    scale = [_millivolts(record.units[place]) for place in places]
    signal = record.p_signal[:, places].T * np.array(scale)[:, None]
    return Record(name=path.stem, signal=_filled(signal), rate=rate)


def import_wfdb() -> Any:
    """Return the package wfdb."""
    with optional_package("Reading ECG records", "wfdb", "ecg"):
        import wfdb
    return wfdb


def _check_rate(rate: float | None) -> float:
    if rate is None or not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise BadFile(
            f"its sampling rate must lie between {LOWEST_RATE:g} and {HIGHEST_RATE:g} Hz; the "
            f"header says {rate}."
        )
    return float(rate)


def _lead_places(names: list[str]) -> list[int]:
    known = {name.strip().lower(): place for place, name in reversed(list(enumerate(names)))}
    missing = [lead for lead in LEADS if lead.lower() not in known]
    if missing:
        raise BadFile(f"it lacks the lead{'s' * (len(missing) > 1)} {', '.join(missing)}.")
    return [known[lead.lower()] for lead in LEADS]


def _millivolts(unit: str) -> float:
    msg = f"a lead is in {unit!r}; allowed are {', '.join(MILLIVOLTS)}."
    with refusing(BadFile, msg, KeyError):
        return MILLIVOLTS[unit.strip().lower()]


def _filled(signal: FloatArray) -> FloatArray:
    """Return the leads with short gaps interpolated; refuse flat leads and long gaps."""
    filled = signal.copy()
    for lead, values in zip(LEADS, filled, strict=True):
        gaps = ~np.isfinite(values)
        if gaps.mean() > MOST_MISSING:
            share, most = percent(gaps.mean(), 0), percent(MOST_MISSING, 0)
            raise BadFile(f"{share} of lead {lead} is missing; at most {most} may be.")
        if gaps.any():
            values[gaps] = np.interp(np.flatnonzero(gaps), np.flatnonzero(~gaps), values[~gaps])
        if values.size and np.ptp(values) == 0:
            raise BadFile(f"lead {lead} is flat.")
    return filled
