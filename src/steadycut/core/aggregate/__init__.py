"""Instance scores to one score per patient, with exact sums."""
