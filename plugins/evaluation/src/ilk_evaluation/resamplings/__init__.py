"""Resamplings: splits of the cases into training and test sets."""
