"""Labelled data: what comes with scikit-learn, files, folders, and what rules make."""
