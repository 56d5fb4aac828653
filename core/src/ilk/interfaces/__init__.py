"""The contract of each kind, one small file each; the docstring is the contract."""
