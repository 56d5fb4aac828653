"""
Cases that an editor keeps
==========================

Condensing keeps the cases near the borders, editing removes the noise. Removed cases are faint.
"""

import ilk
from ilk.plotting import new_axes
from ilk_learners.plotting import selection

X, y = ilk.dataset("iris").load().Xy
petals = X[:, 2:]
axes = new_axes(11, 3.8, columns=3)
for name, ax in zip(("enn", "cnn", "icf"), axes, strict=True):
    editor = ilk.editor(name)
    editor.fit_resample(petals, y)
    selection(editor, petals, y, axes=ax)
