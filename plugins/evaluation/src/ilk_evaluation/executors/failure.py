"""The error of an executor that can run nothing any more."""

from __future__ import annotations

import ilk


class ExecutorError(ilk.IlkError):
    """Nothing can run cells (any more): no worker starts, or a scheduler is gone."""
