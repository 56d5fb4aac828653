"""Distances made of other things: functions, matrices, kernels, classifiers, other distances."""
