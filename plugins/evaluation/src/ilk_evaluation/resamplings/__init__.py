"""Resamplings: how cases are divided into training and test sets."""
