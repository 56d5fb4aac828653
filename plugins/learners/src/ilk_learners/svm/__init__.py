"""Support vector machines: dual problems, solvers, Gram matrices, calibration and tuning."""
