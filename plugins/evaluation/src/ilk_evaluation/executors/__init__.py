"""Executors: serial, processes of loky, clusters of Dask, ranks of MPI."""
