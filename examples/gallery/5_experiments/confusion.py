"""
Which classes are confused
==========================

Rows are the true classes of handwritten digits, columns the predicted ones. Most errors are few
pairs of digits that look alike.
"""

import ilk

digits = ilk.dataset("digits").load()
results = ilk.compare(
    {"nearest mean": "nearest_mean"},
    *digits.Xy,
    resampling={"use": "stratified_kfold", "folds": 3},
)
results.plot("confusion")
