"""Components by kind and name: found in metadata, imported on first use."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from ilk import discovery
from ilk.capabilities import Capabilities
from ilk.discovery import Found, hidden, installed, normal, offers, value_problem
from ilk.errors import (
    AmbiguousComponentError,
    BrokenComponentError,
    UnknownComponentError,
)
from ilk.kinds import Kind, kind_of, kinds
from ilk.messages import did_you_mean, short_repr
from ilk.shipped import meant_by, offered_by

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        self._offers: tuple[Found, ...] = ()  # the offers at the last sort, to notice changes
        self._sorted: tuple[Found, ...] | None = None
        self._by_class: dict[type, Found] = {}  # of the offers at the last sort

    def forget(self) -> None:
        """Clear the cache of loaded and broken classes; see `refresh`."""
        self._loaded.clear()
        self._broken.clear()

    def find(self) -> list[Found]:
        """Return all offers, sorted by name and distribution, without imports."""
        return list(self._known())

    def _known(self) -> tuple[Found, ...]:
        # Many measures and messages look up names: sort only after changes.
        offered = offers(self.kind.group, self.kind.name)
        known = self._sorted
        if known is None or self._offers is not offered:
            session = [
                Found(self.kind.name, name, SESSION, "", f"{cls.__module__}:{cls.__qualname__}")
                for name, cls in self._session.items()
            ]
            every = sorted([*offered, *session], key=lambda f: (f.name, f.distribution))
            known = tuple(every)
            self._offers, self._sorted, self._by_class = offered, known, {}
        return known

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
            If no installed distribution offers it; names the closest name, other kinds with this
            name, and the distribution known to offer it.
        AmbiguousComponentError
            If two distributions offer it and the name is not qualified.
        """
        name = meant_by(self.kind.name, name)
        distribution, _, plain = name.rpartition("/")
        matches = [
            found
            for found in self.find()
            if found.name == plain
            and (not distribution or normal(found.distribution) == normal(distribution))
        ]
        if not matches:
            raise UnknownComponentError(self._unknown(name, plain))
        session = [found for found in matches if found.distribution == SESSION]
        if session:  # a class registered by the user takes precedence
            return session[0]
        if len(matches) > 1:
            if matches[0].qualified == matches[1].qualified:
                raise AmbiguousComponentError(
                    f"{self.kind.name} {plain!r} is registered twice by {matches[0].distribution}"
                )
            claimants = " and ".join(found.distribution for found in matches)
            raise AmbiguousComponentError(
                f"{self.kind.name} {plain!r} is offered by {claimants}; "
                f"write {matches[0].qualified!r} or {matches[1].qualified!r}"
            )
        return matches[0]

    def shortest(self, found: Found) -> str:
        """Return the plain name of an offer, or the qualified name if the plain is ambiguous."""
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
        name = meant_by(self.kind.name, name)
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
            If the class is not of this kind, or the name is not a plain name.
        AmbiguousComponentError
            If the name is registered already, by hand or by a distribution, unless
            ``replace=True``: the plain name then means this class, except in defaults.
        """
        problem = _class_problem(cls, self.kind)
        problem = problem or name_problem(name)
        if problem:
            raise BrokenComponentError(f"{self.kind.name} {name!r}: {problem}")
        if not replace and self._session.get(name) is not cls:
            known = [found for found in self.find() if found.name == name]
            if known:
                whose = known[0].distribution.replace(SESSION, "this session")
                raise AmbiguousComponentError(
                    f"{self.kind.name} {name!r} is already registered by {whose}; pass "
                    f"replace=True to replace it wherever it is named"
                )
        self._session[name], self._sorted = cls, None
        return cls

    def unregister(self, name: str) -> None:
        """Remove a class registered by hand."""
        self._session.pop(name, None)
        self._sorted = None

    def found_for(self, cls: type) -> Found | None:
        """Return the offer whose class is `cls`, or None."""
        known = self._known()
        if cls in self._by_class:
            return self._by_class[cls]
        value = f"{cls.__module__}:{cls.__qualname__}"
        for found in known:
            if found.distribution == SESSION:
                is_this = self._session[found.name] is cls
            else:
                is_this = found.value == value or self._loaded.get(found.qualified) is cls
            if is_this:
                self._by_class[cls] = found
                return found
        return None

    def _load(self, found: Found) -> type:
        where = (
            f"{found.kind} {found.name!r} of {found.distribution} {found.version} ({found.value})"
        )
        assert found.entry_point is not None
        try:
            cls = found.entry_point.load()
        except KeyboardInterrupt as error:  # the user's, or the module's own
            raise KeyboardInterrupt(f"while {where} was imported") from error
        except BaseException as error:  # an import may raise anything, even SystemExit
            reason = value_problem(found.value) or f"{type(error).__name__}: {error}"
            raise BrokenComponentError(f"{where} cannot be imported: {reason}") from error
        problem = _class_problem(cls, self.kind)
        if problem:
            raise BrokenComponentError(f"{where}: {problem}")
        return cls  # type: ignore[no-any-return]  # an entry point loads as Any

    def _unknown(self, name: str, plain: str) -> str:
        message = f"there is no {self.kind.name} {name!r}"
        elsewhere = [
            other.name
            for other in kinds().values()
            if other.name != self.kind.name and plain in registry(other.name)
        ]
        known = offered_by(self.kind.name, plain)
        if plain != name and plain in self.names():
            offered = ", ".join(f.qualified for f in self.find() if f.name == plain)
            return f"{message}; {plain!r} is offered as {offered}"
        if known and known not in installed():
            if hidden(known):
                return f"{message}; it is in {known}, which ILK_PLUGINS leaves out"
            return f"{message}; it is in {known}, which is not installed (pip install {known})"
        hint = did_you_mean(plain, self.names())
        if elsewhere:
            hint += f"; {plain!r} is a {' and a '.join(elsewhere)}"
        return message + hint


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
    meant = kind_of(kind)
    if meant.name not in _registries:
        _registries[meant.name] = Registry(meant)
    return _registries[meant.name]


def find_class(cls: type) -> Found | None:
    """Return the offer of a class among all kinds, or None."""
    kind = getattr(cls, "kind", None)
    order = sorted(kinds(), key=lambda name: name != kind)
    for name in order:
        found = registry(name).found_for(cls)
        if found is not None:
            return found
    return None


def session_classes() -> list[tuple[str, str, type]]:
    """Return kind, name and class of every component registered by hand."""
    return [
        (kind, found.name, registry(kind).get(found.qualified))
        for kind in kinds()
        for found in registry(kind).find()
        if found.distribution == SESSION
    ]


def replaced_components() -> list[Found]:
    """Return the classes registered by hand under a name that a distribution also offers."""
    every = [registry(kind).find() for kind in kinds()]
    return [
        found
        for offered in every
        for found in offered
        if found.distribution == SESSION
        and any(other.name == found.name and other != found for other in offered)
    ]


def display_name(component: object) -> str:
    """Return the registered name of a component, or its class name."""
    cls = component if isinstance(component, type) else type(component)
    found = find_class(cls)
    return found.name if found else cls.__name__


def shipped_name(component: object) -> str | None:
    """Return the name of a component whose class is part of ilk, or None."""
    found = find_class(component if isinstance(component, type) else type(component))
    if found is None or offered_by(found.kind, found.name) != found.distribution:
        return None
    return found.name


def refresh() -> None:
    """Clear all caches, so that newly installed distributions are found."""
    discovery.forget()
    kinds.cache_clear()
    for known in _registries.values():
        known.forget()


def name_problem(name: object) -> str | None:
    """Return the reason why a component cannot have a name, with the closest name that it can."""
    text = name if isinstance(name, str) else ""
    if re.fullmatch(r"[a-z][a-z0-9_]*", text) and not keyword.iskeyword(text):
        return None
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
    valid = re.sub(r"[^a-z0-9]+", "_", words).strip("_0123456789")
    valid += "_" * keyword.iskeyword(valid)
    better = f"; {valid!r} would do" if valid and valid != text else ""
    return (
        f"a name is made of lower-case letters, digits and underscores, starts with a letter "
        f"and is no Python keyword, got {name!r}{better}"
    )


def _class_problem(cls: type, kind: Kind) -> str | None:
    """Return the reason why an object cannot be registered as a component of a kind."""
    if not isinstance(cls, type):
        return f"it is {type(cls).__name__} {cls!r}, not a class"
    bases = kind.interface_classes()
    if not issubclass(cls, bases):
        names = " or ".join(f"ilk.{base.__name__}" for base in bases)
        return f"class {cls.__name__} is no {kind.name}: it must subclass {names}"
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        return f"class {cls.__name__} does not define {', '.join(missing)}"
    capabilities = getattr(cls, "capabilities", None)
    if not isinstance(capabilities, Capabilities):
        given = short_repr(capabilities)
        return f"class {cls.__name__}: capabilities must be ilk.Capabilities, got {given}"
    return None
