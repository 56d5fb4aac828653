"""Components by kind and name: found from metadata only, loaded on first use."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import TYPE_CHECKING, Any, cast

from ilk.errors import (
    AmbiguousComponentError,
    BrokenComponentError,
    UnknownComponentError,
)
from ilk.known import offered_by
from ilk.suggest import did_you_mean

if TYPE_CHECKING:
    from ilk.component import Component
    from ilk.kinds import Kind


@dataclass(frozen=True)
class Found:
    """A component that an installed distribution offers; nothing of it is imported yet.

    Attributes
    ----------
    kind, name : str
        What it is and what it is called.
    distribution, version : str
        Who offers it; ``"(session)"`` for a class registered by hand.
    value : str
        ``"module:Class"``.
    """

    kind: str
    name: str
    distribution: str
    version: str
    value: str
    entry_point: EntryPoint | None = field(default=None, compare=False, repr=False)

    @property
    def qualified(self) -> str:
        """``"distribution/name"``, which is never ambiguous."""
        return f"{self.distribution}/{self.name}"


SESSION = "(session)"


class Registry:
    """The components of one kind by name; see `ilk.registry`.

    Examples
    --------
    >>> import ilk
    >>> ilk.registry("distance").get("euclidean").__name__
    'Euclidean'
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._session: dict[str, type] = {}
        self._loaded: dict[str, type] = {}
        self._broken: dict[str, BrokenComponentError] = {}

    def forget(self) -> None:
        """Forget which classes were loaded and which were broken; see `refresh`."""
        self._loaded.clear()
        self._broken.clear()

    def find(self) -> list[Found]:
        """Return what is offered, sorted by name and distribution, importing none of it."""
        session = [
            Found(self.kind.name, name, SESSION, "", f"{cls.__module__}:{cls.__qualname__}")
            for name, cls in self._session.items()
        ]
        return sorted(
            [*_offered(self.kind.group, self.kind.name), *session],
            key=lambda f: (f.name, f.distribution),
        )

    def names(self) -> list[str]:
        """Return the sorted names of this kind."""
        return sorted({found.name for found in self.find()})

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def lookup(self, name: str) -> Found:
        """Return the one offer for `name`, or for ``"distribution/name"``.

        Raises
        ------
        UnknownComponentError
            If nothing installed offers it; names the nearest, other kinds that have it and
            the distribution known to offer it.
        AmbiguousComponentError
            If two distributions offer it and the name does not say which.
        """
        distribution, _, plain = name.rpartition("/")
        matches = [
            found
            for found in self.find()
            if found.name == plain
            and (not distribution or _normal(found.distribution) == _normal(distribution))
        ]
        if not matches:
            raise UnknownComponentError(self._unknown(name, plain))
        session = [found for found in matches if found.distribution == SESSION]
        if session:  # what the user registered by hand wins
            return session[0]
        if len(matches) > 1:
            offers = " and ".join(found.distribution for found in matches)
            raise AmbiguousComponentError(
                f"{self.kind.name} {plain!r} is offered by {offers}; "
                f"write {matches[0].qualified!r} or {matches[1].qualified!r}"
            )
        return matches[0]

    def shortest(self, found: Found) -> str:
        """Return the plain name of an offer, or the qualified one where two have that name."""
        try:
            return found.name if self.lookup(found.name) == found else found.qualified
        except AmbiguousComponentError:
            return found.qualified

    def get(self, name: str) -> type:
        """Return the class called `name`, importing it on first use.

        Raises
        ------
        UnknownComponentError, AmbiguousComponentError
            As `lookup`.
        BrokenComponentError
            If it cannot be imported or is not of this kind; the cause is chained.
        """
        if name in self._session:
            return self._session[name]
        found = self.lookup(name)
        if found.distribution == SESSION:
            return self._session[found.name]
        if found.qualified in self._broken:
            raise self._broken[found.qualified]
        if found.qualified not in self._loaded:
            try:
                self._loaded[found.qualified] = self._load(found)
            except BrokenComponentError as error:
                self._broken[found.qualified] = error
                raise
        return self._loaded[found.qualified]

    def register(self, name: str, cls: type, *, replace: bool = False) -> type:
        """Register a class by hand, for notebooks and tests; returns the class.

        Raises
        ------
        BrokenComponentError
            If the class is not of this kind.
        AmbiguousComponentError
            If the name was registered by hand before, unless ``replace=True``.
        """
        problem = _class_problem(cls, self.kind)
        if problem:
            raise BrokenComponentError(f"{self.kind.name} {name!r}: {problem}")
        if name in self._session and not replace and self._session[name] is not cls:
            raise AmbiguousComponentError(
                f"{self.kind.name} {name!r} is already registered; pass replace=True to replace it"
            )
        self._session[name] = cls
        return cls

    def unregister(self, name: str) -> None:
        """Take back a class registered by hand."""
        self._session.pop(name, None)

    def found_for(self, cls: type) -> Found | None:
        """Return the offer whose class is `cls`, or None."""
        value = f"{cls.__module__}:{cls.__qualname__}"
        for found in self.find():
            if found.distribution == SESSION:
                if self._session[found.name] is cls:
                    return found
            elif found.value == value or self._loaded.get(found.qualified) is cls:
                return found
        return None

    def _load(self, found: Found) -> type:
        where = (
            f"{found.kind} {found.name!r} of {found.distribution} {found.version} ({found.value})"
        )
        assert found.entry_point is not None
        try:
            cls = found.entry_point.load()
        except (Exception, SystemExit) as error:
            raise BrokenComponentError(
                f"{where} cannot be imported: {type(error).__name__}: {error}"
            ) from error
        problem = _class_problem(cls, self.kind)
        if problem:
            raise BrokenComponentError(f"{where}: {problem}")
        return cls  # type: ignore[no-any-return]  # an entry point loads as Any

    def _unknown(self, name: str, plain: str) -> str:
        from ilk.kinds import kinds

        message = f"there is no {self.kind.name} {name!r}"
        elsewhere = [
            other.name
            for other in kinds().values()
            if other.name != self.kind.name and plain in registry(other.name)
        ]
        known = offered_by(self.kind.name, plain)
        if plain != name and plain in self.names():
            offers = ", ".join(f.qualified for f in self.find() if f.name == plain)
            return f"{message}; {plain!r} is offered as {offers}"
        if known and known not in installed():
            return f"{message}; it is in {known}, which is not installed (pip install {known})"
        hint = did_you_mean(plain, self.names())
        if elsewhere:
            hint += f"; {plain!r} is a {' and a '.join(elsewhere)}"
        return message + hint


def _class_problem(cls: Any, kind: Kind) -> str | None:
    """Return why an object cannot be registered as a component of a kind."""
    if not isinstance(cls, type):
        return f"it is {type(cls).__name__} {cls!r}, not a class"
    bases = kind.interface_classes()
    if not issubclass(cls, bases):
        names = " or ".join(f"ilk.{base.__name__}" for base in bases)
        return f"class {cls.__name__} is no {kind.name}: it must subclass {names}"
    from ilk.component import declaration_problem

    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        return f"class {cls.__name__} does not define {', '.join(missing)}"
    return declaration_problem(cast("type[Component]", cls))


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


@cache
def _found() -> dict[str, list[Found]]:
    """Read the entry points of every installed distribution, once."""
    allowed = os.environ.get("ILK_PLUGINS")
    only = (
        {"ilk-core", *(_normal(part.strip()) for part in allowed.split(","))} if allowed else None
    )
    by_group: dict[str, list[Found]] = {}
    for dist, points in _offering_distributions():
        if only is not None and _normal(dist.name) not in only:
            continue
        for point in points:
            found = Found(point.group, point.name, dist.name, dist.version, point.value, point)
            by_group.setdefault(point.group, []).append(found)
    return by_group


def _offering_distributions() -> Iterator[tuple[Distribution, list[EntryPoint]]]:
    """Yield the installed distributions with entry points of ilk's.

    Names and versions are read for these few only: parsing metadata is what is slow. Of two
    copies on the path the first counts, as it does for imports.
    """
    seen: set[str] = set()
    for dist in distributions():
        points = _points_of(dist)
        if points and _normal(dist.name) not in seen:
            seen.add(_normal(dist.name))
            yield dist, points


def _points_of(dist: Distribution) -> list[EntryPoint]:
    """Return the entry points of ilk's; none, with a warning, where metadata is spoiled."""
    try:
        points = [point for point in dist.entry_points if point.group.startswith("ilk.")]
        problem = "" if not points or dist.name else f"nothing says whose {points[0].value} is"
    except Exception as error:  # noqa: BLE001  # whatever is wrong, the others go on
        points, problem = [], repr(error)
    if problem:
        where = dist.locate_file("")
        warnings.warn(f"a distribution in {where} is left out: {problem}", stacklevel=2)
        return []
    return points


@cache
def _offered(group: str, kind: str) -> tuple[Found, ...]:
    return tuple(replace(found, kind=kind) for found in _found().get(group, ()))


def refresh() -> None:
    """Forget what was found, so that distributions installed since then are seen."""
    from ilk.kinds import kinds

    for cached in (_found, _offered, kinds):
        cached.cache_clear()
    for known in _registries.values():
        known.forget()


def found_in(group: str) -> list[Found]:
    """Return the entry points of any group of ilk's, such as ``"ilk.commands"``."""
    return list(_found().get(group, ()))


def found_kinds() -> list[Kind]:
    """Load the kinds that plugins add; a broken one is warned about and left out."""
    from ilk.kinds import Kind

    added = []
    for found in found_in("ilk.kinds"):
        assert found.entry_point is not None
        where = f"kind {found.name!r} of {found.distribution} {found.version} ({found.value})"
        try:
            kind = found.entry_point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a plugin may raise anything
            warnings.warn(f"{where} cannot be imported: {error!r}", stacklevel=2)
            continue
        if isinstance(kind, Kind):
            added.append(kind)
        else:
            warnings.warn(f"{where} is not an ilk.Kind but {kind!r}", stacklevel=2)
    return added


def installed() -> dict[str, str]:
    """Return name and version of every installed distribution that offers something to ilk."""
    every = (found for group in _found().values() for found in group)
    return dict(sorted({found.distribution: found.version for found in every}.items()))


_registries: dict[str, Registry] = {}


def registry(kind: str) -> Registry:
    """Return the registry of a kind.

    Parameters
    ----------
    kind : str
        Name of a kind, singular or plural: ``"distance"`` or ``"distances"``.

    Raises
    ------
    UnknownComponentError
        If there is no such kind.

    Examples
    --------
    >>> import ilk
    >>> "euclidean" in ilk.registry("distance")
    True
    """
    from ilk.kinds import kind_of

    found = kind_of(kind)
    if found.name not in _registries:
        _registries[found.name] = Registry(found)
    return _registries[found.name]


def find_class(cls: type) -> Found | None:
    """Return under which name a class is registered, whatever the kind, or None."""
    from ilk.kinds import kinds

    own = getattr(cls, "kind", None)
    order = sorted(kinds(), key=lambda name: name != own)
    for name in order:
        found = registry(name).found_for(cls)
        if found is not None:
            return found
    return None
