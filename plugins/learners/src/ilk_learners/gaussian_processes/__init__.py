"""Gaussian processes: modes, evidence and its gradient, and the averages that predict."""
