"""What the pipelines from raw files (slides, ECGs) share."""
