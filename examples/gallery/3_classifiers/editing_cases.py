"""
Cases that an editor keeps
==========================

Condensing keeps the cases near the borders, editing removes the noise. Removed cases are faint.
"""

import matplotlib.pyplot as plt

import ilk
from ilk_learners.plotting import selection

X, y = ilk.dataset("iris").load().Xy
petals = X[:, 2:]
_, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for name, ax in zip(("enn", "cnn", "icf"), axes, strict=True):
    editor = ilk.editor(name)
    editor.fit_resample(petals, y)
    selection(editor, petals, y, axes=ax)
