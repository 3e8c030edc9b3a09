"""Models that are fitted side by side use one thread each."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOCK = threading.Lock()
_INSIDE: list[Any] = []


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread, until the context is left.

    Replicates share the cores already, and with one thread a sum does not depend on how many
    cores there are. Of several threads in this context the last one to leave ends the limit.
    """
    # Comes with scikit-learn, which needs it itself.
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with _LOCK:
        # OpenMP counts by thread, so each sets its own; the first one knows what it was before.
        _INSIDE.append(threadpool_limits(limits=1))
    try:
        yield
    finally:
        with _LOCK:
            limits = _INSIDE.pop()
            if not _INSIDE:
                limits.restore_original_limits()
