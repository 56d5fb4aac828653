"""
Texts in the plane
==================

The edit distance counts the letters to change, and an embedding places the words so that their
distances in the plane are close to it. No features are needed.
"""

import ilk
from ilk_distances.plotting import embedding

words = {
    "animal": ["cat", "rat", "bat", "cattle", "beetle"],
    "verb": ["walking", "talking", "waking", "taking", "baking"],
    "place": ["Hamburg", "Marburg", "Homburg", "Bamberg", "Freiburg"],
}
texts = [word for group in words.values() for word in group]
labels = [name for name, group in words.items() for _ in group]
embedding(ilk.distance("levenshtein"), texts, labels)
