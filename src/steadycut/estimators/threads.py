"""One thread per model, because models are fitted in parallel."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_LOCK = threading.Lock()
_INSIDE: list[Any] = []


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread, until the context is left.

    Replicates already share the cores, and with one thread a sum does not depend on the number of
    cores. If several threads are in this context, the last one to leave ends the limit.
    """
    with _LOCK:
        # OpenMP has a limit per thread, so each sets its own; the first one knows the old limit.
        _INSIDE.append(_controller(len(sys.modules)).limit(limits=1))
    try:
        yield
    finally:
        with _LOCK:
            limits = _INSIDE.pop()
            if not _INSIDE:
                limits.restore_original_limits()


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> Any:  # noqa: ARG001
    """Return what limits the libraries that are loaded now.

    Looking for them takes some milliseconds, too long for each of many replicates. Another library
    comes with another module, so they are looked for again once there are more modules.
    """
    # Installed with scikit-learn.
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
