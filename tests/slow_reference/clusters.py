"""How alike the instances of a patient are: one-way analysis of variance within classes."""

from fractions import Fraction


def mean(values):
    return sum(map(Fraction, values)) / len(values)


def intraclass(groups, labels):
    """Return m0, the intraclass correlation and the design effect; None where not defined.

    ``groups`` are the instances of each patient. between = Σ m_i (mean_i - class mean)² / (k - L),
    within = Σ Σ (x - mean_i)² / (N - k), m0 = (N - Σ_c Σ m_i² / N_c) / (k - L),
    icc = (between - within) / (between + (m0 - 1) within), not below 0.
    """
    classes = sorted(set(labels))
    k, total = len(groups), sum(map(len, groups))
    if k == len(classes) or total == k:
        return None
    between, within, per_patient = Fraction(0), Fraction(0), Fraction(total)
    for label in classes:
        members = [group for group, own in zip(groups, labels, strict=True) if own == label]
        everyone = [score for group in members for score in group]
        center = mean(everyone)
        for group in members:
            between += len(group) * (mean(group) - center) ** 2
            within += sum((Fraction(score) - mean(group)) ** 2 for score in group)
            per_patient -= Fraction(len(group) ** 2, len(everyone))
    between, within = between / (k - len(classes)), within / (total - k)
    m0 = per_patient / (k - len(classes))
    if between + (m0 - 1) * within == 0:
        return None
    icc = max((between - within) / (between + (m0 - 1) * within), Fraction(0))
    return m0, icc, 1 + (m0 - 1) * icc
