"""
A report to send to others
==========================

Everything an experiment found as one page that needs no network: verdicts, tables, figures, and
what is needed to repeat it. Here the size of the page, and its first figure.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import ilk

results = ilk.compare(
    {"3-NN": {"use": "knn", "k": 3}, "LDA": "lda", "naive Bayes": "naive_bayes"},
    {name: name for name in ("iris", "wine", "breast_cancer")},
    comparisons=["friedman_nemenyi", "robustness"],
)
with TemporaryDirectory() as folder:
    page = Path(folder, "report.html")
    results.report(page)
    print(f"{page.name}: {page.stat().st_size // 1000} kB")
results.plot("robustness")
