"""Data sets: bundled, made by rules or at random, and read from files."""
