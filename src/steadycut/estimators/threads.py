"""One thread per model, because models are fitted in parallel."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOCK = threading.Lock()
_INSIDE: list[Any] = []


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread, until the context is left.

    Replicates already share the cores, and with one thread a sum does not depend on the number of
    cores. If several threads are in this context, the last one to leave ends the limit.
    """
    # Installed with scikit-learn.
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with _LOCK:
        # OpenMP has a limit per thread, so each sets its own; the first one knows the old limit.
        _INSIDE.append(threadpool_limits(limits=1))
    try:
        yield
    finally:
        with _LOCK:
            limits = _INSIDE.pop()
            if not _INSIDE:
                limits.restore_original_limits()
