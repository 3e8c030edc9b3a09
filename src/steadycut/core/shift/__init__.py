"""What differs between two hospitals, with and without labels."""
