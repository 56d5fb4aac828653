"""Bytes of a file to text: compression by its first bytes, and the encoding."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import ilk
from ilk import param, similar_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Packing = tuple[str, Callable[[Path, Any], Any]]

INFLATED_MB = 256  # far above usual tables, far below usual memory
INFLATED: Any = param(
    default=INFLATED_MB,
    ge=1,
    le=2**20,
    doc="A compressed file that inflates to more megabytes is refused.",
)
"""The parameter ``inflated_mb`` of readers of text files."""
ENCODING: Any = param(
    default="auto",
    doc='Encoding of the text, such as ``"utf-8"``, ``"latin-1"`` or ``"utf-16"``. "auto": by the '
    "byte order mark, else UTF-8 if all bytes are valid, else Windows-1252.",
)
"""The parameter ``encoding`` of readers of text files."""
COMPRESSED = (".gz", ".xz", ".bz2", ".zip")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHERS = (
    (b"PAR1", "a Parquet file; read it with use = 'parquet'"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file; save the sheet as CSV"),
    (b"SQLite format 3", "an SQLite database; export the table as CSV"),
    (b"\x89HDF", "an HDF5 file; export the table as CSV"),
    (b"ARROW1", "an Arrow file; save the table as Parquet"),
    (b"\x93NUMPY", "a NumPy array; save it with numpy.savetxt"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd; unpack it first"),
    (b"%PDF", "a PDF; export the table as CSV"),
)
_LIBSVM = re.compile(r"\S+(?:\s+qid:\d+)?(?:\s+\d{1,9}:[-+.eE0-9]+)+\s*(?:#.*)?")
_MOST_CONTROL = 1e-3  # of the characters; about a tenth of random bytes are such
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f]")
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)


@dataclass(frozen=True)
class TextFile:
    """The text of a file.

    Attributes
    ----------
    path : Path
    text : str
    encoding : str
        Name of the encoding, for people.
    compression : str
        ``"gzip"``, ``"xz"``, ``"bzip2"``, ``"zip"``, or empty.
    notes : tuple of str
        Guesses of the reader, which may be wrong.
    """

    path: Path
    text: str
    encoding: str = "UTF-8"
    compression: str = ""
    notes: tuple[str, ...] = ()

    @property
    def dialect(self) -> list[str]:
        """Encoding and compression, where they are not the usual ones."""
        encoding = [] if self.encoding == "UTF-8" else [self.encoding]
        return encoding + ([self.compression] if self.compression else [])


def read_text(path: Path, inflated_mb: int = INFLATED_MB, encoding: str = "auto") -> TextFile:
    """Read a text file; gzip, xz, bzip2 and zip are unpacked.

    Raises
    ------
    DataError
        If it cannot be read, is no text, is not of the encoding, or inflates to more megabytes;
        names the line.
    """
    raw, compression = _unpacked(path, read_bytes(path), inflated_mb)
    decoded = _decode(path, raw, encoding)
    decoded = _checked(path, decoded)
    return replace(decoded, compression=compression, text=decoded.text.rstrip("\x1a"))


def _checked(path: Path, decoded: TextFile) -> TextFile:
    """Refuse binary data; note a stray control character."""
    match = _CONTROL.search(decoded.text)
    if match is None:
        return decoded
    line = decoded.text.count("\n", 0, match.start()) + 1
    sign = f"the control character 0x{ord(match[0]):02x}"
    many = len(_CONTROL.findall(decoded.text)) > _MOST_CONTROL * len(decoded.text)
    if many or "\0" in decoded.text:
        raise ilk.DataError(f"{path}:{line}: not a text file: it has {sign}")
    return replace(decoded, notes=(*decoded.notes, f"line {line} has {sign}"))


def format_of(text: str) -> str:
    """Name of the data set that reads a text: ``"arff"``, ``"svmlight"`` or ``"csv"``."""
    written = [line.strip() for line in text[:65536].splitlines()]
    first = next((line for line in written if line and not line.startswith("%")), "")
    if first.lower().startswith("@relation"):
        return "arff"
    lines = [line for line in written if line and not line.startswith("#")][:20]
    whole = lines[:-1] or lines  # the last one may be cut
    return "svmlight" if lines and all(map(_LIBSVM.fullmatch, whole)) else "csv"


def read_bytes(path: Path) -> bytes:
    """Read the bytes of a file.

    Raises
    ------
    DataError
        If it cannot be read (names the closest file of that folder), or is a device or a pipe,
        which may never end.
    """
    check_is_file(path)
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> ilk.DataError:
    """Return the error of a file that cannot be opened; it names the closest file beside it."""
    hint = similar_file(path) if isinstance(error, FileNotFoundError) else ""
    reason = getattr(error, "strerror", None) or error
    return ilk.DataError(f"{path}: cannot be read: {reason}{hint}")


def check_is_file(path: Path) -> None:
    """Raise DataError if the path exists and is neither a file nor a folder."""
    if os.path.exists(path) and not path.is_file() and not path.is_dir():  # noqa: PTH110  # no error
        raise ilk.DataError(f"{path}: cannot be read: it is a device or a pipe, not a file")


def check_encoding(owner: ilk.Component, encoding: str) -> None:
    """Raise ParameterError if Python knows no text encoding of that name."""
    if encoding == "auto":
        return
    try:
        "a".encode(encoding)
    except (LookupError, ValueError):
        raise owner.parameter_error(
            "encoding", f"must be 'auto' or an encoding such as 'latin-1', got {encoding!r}"
        ) from None


def _unpacked(path: Path, raw: bytes, inflated_mb: int) -> tuple[bytes, str]:
    for start, what in _OTHERS:
        if raw.startswith(start):
            raise ilk.DataError(f"{path}: not a text file, but {what}")
    packing = packing_of(raw)
    return (raw, "") if packing is None else (_inflate(path, raw, inflated_mb, packing), packing[0])


def packing_of(start: bytes) -> Packing | None:
    """Name of the compression that the first bytes of a file tell, and how to open it."""
    return next((packing for magic, packing in _PACKED if start.startswith(magic)), None)


def _inflate(path: Path, raw: bytes, inflated_mb: int, packing: Packing) -> bytes:
    """Decompress up to a limit: a file of zeros can inflate a thousandfold."""
    name, opened = packing
    most = inflated_mb * 2**20
    try:
        with opened(path, io.BytesIO(raw)) as file:
            inflated: bytes = file.read(most + 1)
    except ilk.DataError:
        raise
    except (*BROKEN, NotImplementedError, ValueError) as error:
        raise ilk.DataError(f"{path}: the {name} file is damaged: {error}") from None
    if len(inflated) > most:
        raise ilk.DataError(
            f"{path}: inflates to more than inflated_mb = {inflated_mb:,} megabytes; raise it if "
            f"the file is to be trusted"
        )
    return inflated


def _open_zip(path: Path, file: Any) -> Any:
    """Open the only file of an archive."""
    archive = zipfile.ZipFile(file)
    names = [
        one.filename
        for one in archive.infolist()
        if not one.is_dir() and not one.filename.startswith("__MACOSX/")
    ]
    if "[Content_Types].xml" in names:
        raise ilk.DataError(f"{path}: not a text file, but an Excel file; save the sheet as CSV")
    if len(names) != 1:
        some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise ilk.DataError(
            f"{path}: the zip file holds {len(names)} files ({some}); unpack it and give the path "
            f"of one"
        )
    return archive.open(names[0])


_PACKED: tuple[tuple[bytes, Packing], ...] = (
    (b"\x1f\x8b", ("gzip", lambda _, file: gzip.GzipFile(fileobj=file))),
    (b"\xfd7zXZ\x00", ("xz", lambda _, file: lzma.open(file))),  # noqa: SIM115  # the caller closes it
    (b"BZh", ("bzip2", lambda _, file: bz2.BZ2File(file))),
    (b"PK\x03\x04", ("zip", _open_zip)),
)


def _decode(path: Path, raw: bytes, encoding: str) -> TextFile:
    if encoding != "auto":
        try:
            text = raw.decode(encoding)
        except (UnicodeError, LookupError) as error:
            raise ilk.DataError(f"{path}: encoding = {encoding!r} does not fit: {error}") from None
        return TextFile(path, text.removeprefix("\ufeff"), encoding)
    name = unicode_of(raw[:4096])
    try:
        text = raw.decode(name or "utf-8")
    except UnicodeDecodeError as error:
        if name is not None:
            raise ilk.DataError(f"{path}: not {name.upper()} text: {error}") from None
        return _decode_8_bit(path, raw, error.start)
    shown = "UTF-8" if name in {None, "utf-8-sig"} else str(name).upper().removesuffix("-SIG")
    return TextFile(path, text.removeprefix("\ufeff"), shown)


def unicode_of(raw: bytes) -> str | None:
    """Encoding that a byte order mark or UTF-16's zeros tell; None: an 8-bit one, or UTF-8."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return name
    # UTF-16 without a mark: nearly every second byte of western text is zero
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        zero, other = raw[first::2], raw[1 - first :: 2]
        if zero and zero.count(0) > 0.7 * len(zero) and other.count(0) == 0:
            return name
    return None


def _decode_8_bit(path: Path, raw: bytes, bad: int) -> TextFile:
    line = raw.count(b"\n", 0, bad) + 1
    try:
        text, name = raw.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, name = raw.decode("latin-1"), "Latin-1"
    note = (
        f"read as {name} text: byte 0x{raw[bad]:02x} of line {line} is not UTF-8; encoding = ... "
        f"names another encoding"
    )
    return TextFile(path, text, name, notes=(note,))
