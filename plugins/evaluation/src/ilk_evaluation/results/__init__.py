"""Results of stored experiments: scored, opened, exported, explained, merged and compared."""
