"""Scorers that kill the process in which they are fitted."""

import multiprocessing
import os
import signal
from pathlib import Path

from sklearn.linear_model import LogisticRegression


class Deadly(LogisticRegression):
    """Kills its process, if that is a worker: always, or once if there is a file to note it in."""

    def __init__(self, note=None):
        super().__init__()
        self.note = note

    def fit(self, X, y):
        if multiprocessing.parent_process() is not None and self._again():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)

    def _again(self):
        if self.note is None:
            return True
        try:
            Path(self.note).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
