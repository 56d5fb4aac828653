"""Files gone wrong: mutants of good ones, made by the grammar of each format."""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import io
import json
import sqlite3
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ilk_evaluation.run.sql import TABLES
from stores import rewrite

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

LONG = "9" * 5000
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 2**31, -(2**63), 2**63, 10**12, 16**4000),
    *(0.0, 0.5, -1.5, 1e-320, 1e300, float("inf"), float("nan"), dt.date(2020, 2, 29)),
    *("", " ", "x", "use", "knn", "a\0b", "é", "\u202e", "..", "/dev/zero", "~nobody/x", "p1..p9"),
    *("p1..p99999999999", "p01..p9", f"p{LONG}..p{LONG}", "x" * 5000),
    *([], [[]], [1], ["x", "x"], [None], [1, "x"], [{}], {}, {"use": "knn"}, {"a": {"b": [1]}}),
)
CELLS = (
    *(None, 0, 1, -1, 3, 2**31, -(2**63), 10**12, 0.5, -1.5, float("inf"), float("nan"), "", "[]"),
    *("{}", "null", b"", b"\xff", b"<i4 3\n", b"<i4 -1\n", b"<f8 0\n", b"|O 1\n12345678", b"<U9"),
)
JSON = tuple(v for v in VALUES if not isinstance(v, dt.date) and v != 16**4000)
TOKENS = (
    *(
        '"',
        "'",
        "\\",
        "{",
        "}",
        "[",
        "]",
        "[[",
        "]]",
        "=",
        ",",
        ".",
        "#",
        "%",
        "?",
        ";",
        "\t",
        "\r",
    ),
    *("\n", "\0", "\x1a", "\ufeff", "é", '"""', "'''", "''", "nan", "-inf", "1e999", "0x1F", "1_0"),
    *("@data", "@attribute a {", "@attribute b real", "@relation", "{0 1}", "{99 1}", "1979-05-27"),
    *(LONG, "9" * 400, " ", "\n\n", "use", "x" * 2000, "[" * 200, "a." * 200, "\\u0000", "\\N"),
)


def mutated_data(data: Any, rng: Random, values: tuple[Any, ...] = VALUES) -> Any:
    """Change one to three values or keys of tables and lists."""
    data = copy.deepcopy(data)
    for _ in range(rng.randint(1, 3)):
        holder, key = rng.choice(list(_places(data)) or [({"": 0}, "")])
        value = holder[key]
        match rng.randrange(5):
            case 0:
                del holder[key]
            case 1:
                holder[key] = copy.deepcopy(rng.choice(values))
            case 2:
                holder[key] = rng.choice(([value], [value, value], {"use": value}, {"a": value}))
            case 3 if isinstance(holder, dict):
                holder[rng.choice(("use", "x", "", "steps", "path", f"{key}s"))] = value
            case _:
                other, name = rng.choice(list(_places(data)) or [({"": 0}, "")])
                holder[key] = copy.deepcopy(other[name])
    return data


def _places(data: Any) -> Any:
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in pairs:
        yield data, key
        if isinstance(value, dict | list):
            yield from _places(value)


def toml(data: dict[str, Any]) -> str:
    """Write tables as TOML; None, which it has not, is left out."""
    return "".join(f"{_quoted(k)} = {_toml(v)}\n" for k, v in data.items() if v is not None)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{_quoted(k)} = {_toml(v)}" for k, v in value.items() if v is not None)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value if item is not None) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    return hex(value) if type(value) is int and value > 2**64 else str(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def mutated_text(text: str, rng: Random) -> str:
    """Put in, leave out, repeat or exchange tokens, cells and lines."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 1, 1, 3, 10, 40)))
        lines = text.split("\n")
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(6):
            case 0 | 1:
                text = text[:start] + rng.choice(TOKENS) + text[end:]
            case 2:
                text = text[:start] + text[end:]
            case 3:
                text = text[:end] + text[start:end] * rng.choice((1, 50)) + text[end:]
            case 4:
                lines[one] = lines[other]
                text = "\n".join(lines)
            case _:
                cells = lines[one].split(",")
                cells[rng.randrange(len(cells))] = rng.choice(TOKENS)
                lines[one] = ",".join(cells)
                text = "\n".join(lines)
    return text


def mutated_bytes(raw: bytes, rng: Random) -> bytes:
    """Change, leave out or put in some bytes."""
    changed = bytearray(raw)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(changed) + 1)
        match rng.randrange(4):
            case 0:
                del changed[at : at + rng.choice((1, 4, 100))]
            case 1:
                changed[at:at] = rng.randbytes(rng.choice((1, 4, 100)))
            case _:
                changed[at : at + 1] = rng.randbytes(1)
    return bytes(changed)


def mutated_json(text: str, rng: Random) -> str:
    """Change the text, or the values and keys that it says."""
    if rng.random() < 0.3:
        return mutated_text(text, rng)
    return json.dumps(mutated_data(json.loads(text), rng, JSON))


def mutate_store(path: Path, rng: Random, *, forged: bool) -> None:
    """Change one value of a store; if forged, with digests that agree."""
    table = rng.choice(list(TABLES.values()))
    column = rng.choice([name for name in table.columns if name != "id"])  # which stays a number
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"SELECT rowid, {column} FROM {table.name}").fetchall()
    row, old = rng.choice(rows)
    new: Any = rng.choice((*CELLS, *TOKENS))
    if isinstance(old, bytes) and rng.random() < 0.7:
        new = mutated_bytes(old, rng)
    elif isinstance(old, str) and rng.random() < 0.7:
        new = mutated_json(old, rng) if old[:1] in {"{", "["} else mutated_text(old, rng)
    statement = f"UPDATE OR IGNORE {table.name} SET {column} = ? WHERE rowid = ?"
    rewrite(path, statement, new, row, sealed=forged)


def mutated_model(raw: bytes, rng: Random) -> bytes:
    """Change one member of a model file, whose checksums agree."""
    members = _unpacked(raw)
    name = rng.choice(("ilk.json", *["state.skops"] * 9))
    if name == "ilk.json":
        members[name] = mutated_json(members[name].decode(), rng).encode()
    else:
        state = _unpacked(members[name])
        part = rng.choice(("schema.json", rng.choice(list(state))))
        state[part] = _mutated_part(state[part], part, rng)
        members[name] = _packed(state)
    return _packed(members)


def _mutated_part(raw: bytes, name: str, rng: Random) -> bytes:
    if name.endswith(".npy") and rng.random() < 0.7:
        return _mutated_array(raw, rng)
    if name.endswith(".npy"):
        return mutated_bytes(raw, rng)
    schema = json.loads(raw)
    said = [holder for holder, key in _places(schema) if holder[key] == "JsonNode"]
    if rng.random() < 0.5:
        rng.choice(said)["content"] = json.dumps(rng.choice(JSON))
        return json.dumps(schema).encode()
    return mutated_json(raw.decode(), rng).encode()


def _mutated_array(raw: bytes, rng: Random) -> bytes:
    """Give an array another value, type or shape."""
    array = np.load(io.BytesIO(raw))
    match rng.randrange(4):
        case 0:
            array = array[: rng.randrange(len(array) + 1)] if array.ndim else array[None]
        case 1 if array.dtype.names is None:
            array = array.astype(rng.choice(("i1", "i8", "f4", "f8", "c16", "?", "U3", ">i4")))
        case 2:
            array = rng.choice((array[None], array.ravel(), array.T, array.repeat(2)))
        case _:
            content = bytearray(array.tobytes())
            if content:
                content[rng.randrange(len(content))] = rng.randrange(256)
            array = np.frombuffer(bytes(content), array.dtype).reshape(array.shape)
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _unpacked(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def mutated_frame(frame: pd.DataFrame, rng: Random) -> pd.DataFrame:
    """Give a table columns, types, values and rows of another kind."""
    frame = frame.copy()
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(list(frame.columns) or ["x"])
        n = len(frame)
        odd = (
            *([None] * n, [True] * n, [2**62] * n, [[1, 2]] * n, [{"a": 1}] * n, [b"\xff"] * n),
            *([float("inf")] * n, [float("nan")] * n, [""] * n, ["x" * 300] * n),
            *([decimal.Decimal("1.5")] * n, [dt.date(2020, 1, 1)] * n),
            *(
                pd.to_datetime(["2020-01-01"] * n),
                pd.to_timedelta([1] * n),
                pd.Categorical(["a"] * n),
            ),
            *(pd.Categorical([None] * n), pd.Categorical(range(n)), pd.array([1] * n, "Int64")),
            *(pd.array([None] * n, "boolean"), pd.array([1.5] * n, "float32"), range(n)),
        )
        match rng.randrange(4):
            case 0:
                frame = frame.drop(columns=name, errors="ignore")
            case 1:
                frame = frame.iloc[: rng.randrange(n + 1)]
            case 2:
                frame[rng.choice(("", "class", "x", " class", "\0"))] = rng.choice(odd)
            case _:
                frame[name] = rng.choice(odd)
    return frame
