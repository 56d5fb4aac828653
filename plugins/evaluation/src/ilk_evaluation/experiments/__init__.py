"""Experiments: plan, run, store, score and report."""
