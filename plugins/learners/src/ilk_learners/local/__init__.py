"""Local metric learners, one class per file, and their compiled search kernels."""
