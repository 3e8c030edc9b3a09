"""What a page knows about one column of a table."""

from dataclasses import dataclass, field

from steadycut.ingest.table import NO_SCORE

TEXT, WHOLE_NUMBERS, NUMBERS, GENE = "text", "whole numbers", "numbers", "gene"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column, as a sample of rows shows it.

    ``values`` are all different values, for guesses. A page shows only ``shown`` and ``summary``.
    Only the name of a gene is known.

    Examples
    --------
    >>> column = Column(name="score", values=frozenset({"0.5", "0.25", "NA"}))
    >>> column.kind, column.summary
    ('numbers', '0.25 to 0.5')
    """

    name: str
    values: frozenset[str] = field(default=frozenset(), repr=False)
    shown: tuple[str, ...] = ()
    n_missing: int = 0
    is_gene: bool = False

    @property
    def numbers(self) -> list[float] | None:
        """The values as numbers, without gaps; None if some are other text, or there are none."""
        texts = [value for value in self.values if value.strip().casefold() not in NO_SCORE]
        if not any("." in text for text in texts):
            texts = [text.replace(",", ".") for text in texts]
        try:
            return [float(text) for text in texts] or None
        except ValueError:
            return None

    @property
    def kind(self) -> str:
        """What the values are."""
        if self.is_gene:
            return GENE
        if self.numbers is None:
            return TEXT
        whole = all(number.is_integer() for number in self.numbers)
        return WHOLE_NUMBERS if whole else NUMBERS

    @property
    def summary(self) -> str:
        """What the page says about the values; whole numbers may be identifiers."""
        if self.is_gene:
            return "not looked at"
        if self.shown:
            return ", ".join(self.shown)
        if self.numbers is not None and self.kind == NUMBERS:
            return f"{min(self.numbers):.4g} to {max(self.numbers):.4g}"
        return f"{len(self.values)} different, not shown"
