"""Kernels: how alike two objects are."""
