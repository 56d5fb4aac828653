"""What compiled distances of vectors share: tiles, threads, and the search of neighbours."""
