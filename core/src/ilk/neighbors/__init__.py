"""What is near: the Euclidean distance, brute-force search, and what both are made of.

Distances of vectors that are computed tile by tile derive from
`ilk.neighbors.vector_distance.VectorDistance`.
"""
