"""Data sets: bundled, generated, and read from files."""
