"""Kernels: similarities of objects."""
