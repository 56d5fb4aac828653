"""The claims of the source texts: files that state them, rules of verdicts, and their runs."""
