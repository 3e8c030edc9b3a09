"""One line of the reliability page: what was tried, how often, and how often it went wrong."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """What was tried, how many times, and how many times it failed in each named way.

    ``failures`` names every way that was looked for, such as wrong answers, tracebacks, hangs and
    lost results, with a zero for each that did not happen.
    """

    what: str
    tried: int
    failures: dict[str, int] = field(default_factory=dict)

    @property
    def failed(self):
        return sum(self.failures.values())


def show(rows):
    for row in rows:
        ways = ", ".join(f"{count} {way}" for way, count in row.failures.items())
        print(f"{row.what:60s} {row.tried:>8,d}  {ways}")
