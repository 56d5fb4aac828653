"""Classifiers, one class a file, and beside them what they are made of."""
