"""The rules that choose one of the cuts."""
