"""Random values of any type in messages, for Hypothesis."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

PLAIN: dict[object, st.SearchStrategy[Any]] = {
    NoneType: st.none(),
    None: st.none(),
    bool: st.booleans(),
    int: st.integers(-(2**70), 2**70) | st.integers(0, 3),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(max_size=8),
    bytes: st.binary(max_size=8),
    msgspec.Raw: st.sampled_from([msgspec.Raw(b'{"size":"4x4","deep":[1,{"a":null}]}'), msgspec.Raw(b"{}")]),
    object: st.none() | st.integers() | st.text(max_size=4),
}


@cache
def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for a type: the same object each time, because a new strategy costs Hypothesis much time."""
    if kind in PLAIN:
        return PLAIN[kind]
    origin, args = get_origin(kind), get_args(kind)
    if isinstance(kind, NewType):
        return values_of(kind.__supertype__)
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of([values_of(arg) for arg in args])
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return st.lists(values_of(args[0]), max_size=3).map(tuple)
        return st.tuples(*map(values_of, args))
    if origin is list:
        return st.lists(values_of(args[0]), max_size=3)
    if origin in (frozenset, set):
        return st.frozensets(values_of(args[0]), max_size=3)
    if origin in (dict, Mapping):
        return st.dictionaries(values_of(args[0]), values_of(args[1]), max_size=3)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return st.sampled_from(list(kind))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
        return st.builds(kind, **{field.name: values_of(field.type) for field in fields})
    if isinstance(kind, type) and (hints := get_type_hints(kind)):  # a NamedTuple, a dataclass
        return st.builds(kind, **{name: values_of(hint) for name, hint in hints.items()})
    raise TypeError(f"no values of {kind}")
