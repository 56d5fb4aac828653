"""What is said of a worker that died: of what, and what it was doing."""

from __future__ import annotations

from concurrent import futures

from ilk_evaluation.executors import worker


def epitaph(cause: str, last_words: str, seconds: float | None) -> Exception:
    """Return the error that ends the call of a worker that died.

    Parameters
    ----------
    cause : str
        What it died of, as far as is known.
    last_words : str
        What a crash or the end of its time looked like from inside; may be empty.
    seconds : float or None
        What a call may take.
    """
    if last_words.startswith("Timeout"):
        said: Exception = TimeoutError(f"exceeded the time limit of {seconds:g} s")
    else:
        said = futures.BrokenExecutor(f"the worker died: {cause}")
    if last_words:
        said.add_note(_own_part(last_words))
    return said


def _own_part(last_words: str) -> str:
    """The stack of the call itself, out of the stacks of all threads down to the first frame."""
    for part in last_words.split("\n\n"):
        stack, call, _ = part.partition(f'  File "{worker.__file__}", line')
        if call and " in call\n" in part:
            return stack.strip()
    return last_words.strip()
