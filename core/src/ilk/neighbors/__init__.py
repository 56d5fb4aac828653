"""Nearest neighbours: the Euclidean distance, brute-force search, and their building blocks.

Distances of vectors that are computed tile by tile derive from
`ilk.neighbors.vector_distance.VectorDistance`.
"""
