"""The interface of each kind, one file each; its docstrings define the contract."""
