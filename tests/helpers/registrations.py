"""Removes what a test registered by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import ilk
from ilk.kinds import kinds


@contextmanager
def registrations_undone() -> Iterator[None]:
    """Remove the components and checks that are registered meanwhile."""
    from ilk.testing import registered

    registered.all_checks()  # else those that are imported meanwhile would be removed too
    with patch.dict(registered._CHECKS):
        yield
    for kind in kinds():
        for found in ilk.registry(kind).find():
            if found.distribution == "(session)":
                ilk.registry(kind).unregister(found.name)
