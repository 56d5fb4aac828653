"""ilk's ensembles."""
