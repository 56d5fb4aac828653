"""Classifiers, one class per file, and their helper modules."""
