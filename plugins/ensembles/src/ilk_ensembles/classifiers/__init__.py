"""Classifiers made of classifiers."""
