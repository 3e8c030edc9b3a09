"""Models that are fitted side by side use one thread each."""

from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager[object]:
    """Limit BLAS and OpenMP to one thread, until the context is left.

    Replicates share the cores already, and with one thread a sum does not depend on how many
    cores there are.
    """
    # Comes with scikit-learn, which needs it itself.
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(limits=1)
