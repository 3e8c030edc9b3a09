"""The test martingale of the monitor and the limits that hold at all times, bet by bet."""

from fractions import Fraction


def geometric(low, high, n):
    """Return n shares of a stake from low to high, each the same multiple of the one before."""
    return [low * (high / low) ** (i / (n - 1)) for i in range(n)]


ALARM_BETS = geometric(0.003, 0.9, 12)
LIMIT_BETS = geometric(0.001, 0.95, 20)


def capital(values, mean, share):
    """Return what a stake of 1 becomes: times 1 - θ + θ value / mean at every value."""
    stake = 1.0
    for value in values:
        stake *= 1 - share + share * value / mean
    return stake


def evidence(values, mean):
    """Return the total after all values.

    1/(s(s+1)) of the stake is played from value s on, in equal parts by every share of
    ALARM_BETS; what waits for later values is 1/(n + 1).
    """
    n = len(values)
    total = float(Fraction(1, n + 1))
    for start in range(1, n + 1):
        won = sum(capital(values[start - 1 :], mean, share) for share in ALARM_BETS)
        total += won / len(ALARM_BETS) / (start * (start + 1))
    return total


def lower_limit(values, delta):
    """Return the smallest mean against which bets from the start have not won 2 / delta."""
    if not any(values):
        return 0.0

    def won(mean):
        return sum(capital(values, mean, share) for share in LIMIT_BETS) / len(LIMIT_BETS)

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if won(middle) >= 2 / delta else (low, middle)
    return low
