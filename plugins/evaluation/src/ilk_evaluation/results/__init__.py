"""Results of stored experiments: opened, written to files, explained and compared."""
