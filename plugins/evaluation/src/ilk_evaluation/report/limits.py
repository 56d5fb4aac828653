"""How much a page shows; what is left out is said where it is."""

MOST_DATASETS = 24
"""Data sets with figures of their own."""
MOST_PIPELINES = 16
"""Pipelines in the figures and confusion matrices of a single data set."""
MOST_CASES = 20_000_000
"""Predicted cases that are read for curves and confusion matrices: about half a minute."""
MOST_CONFUSED = 40_000
"""Numbers in all confusion matrices together."""
MOST_CLASSES = 40
"""Classes of a confusion matrix."""
MOST_TRACEBACKS = 50
"""Sorts of failures whose traceback is shown."""


def beyond(number: int, noun: str, most: int = MOST_DATASETS) -> str:
    """Say how many things are left out of figures; nothing if none are."""
    if number <= most:
        return ""
    return (
        f"The first {most} of {number} {noun}s are shown; `ilk plot` draws all of them, and "
        f"`--dataset` chooses which."
    )
