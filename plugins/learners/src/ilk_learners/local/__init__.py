"""Local metric learners: one class a file, and the compiled kernels they search with."""
