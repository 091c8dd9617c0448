"""The encoding of messages between processes: commands, answers, refusals and changes. It uses only msgspec.

Everything is JSON, as in journals. So a message may contain integers of any size and ready-made JSON, and a decoded
command equals the command in a journal. The law: a decoded value equals the encoded value, in type and value (no
message has an infinite float or NaN). A value without an encoded form is rejected before anything is sent.

msgspec cannot distinguish the structs of a union without tags, and many views and events have no tags. A `_Form` adds
the name of the class to these values, and leaves all other values unchanged.

Pure and immutable, except for the tables of errors and vocabularies, which only grow. So concurrent use is safe.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import NoneType, UnionType
from typing import Final, Generic, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
import msgspec.inspect

from scramble.errors import GameMoved, GameStopped, InvalidCommand, ScrambleError
from scramble.kernel.protocol import Change, Command, Event, Ping

R = TypeVar("R")
T = TypeVar("T")


def _simplify(value: object) -> object:
    """Convert a value that msgspec does not know: a read-only mapping becomes a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of {type(value).__name__} cannot be sent to another process")


_encoder: Final = msgspec.json.Encoder(enc_hook=_simplify)


class _Form(Generic[T]):
    """The encoding of values of one type. `pack` converts a value to the type `wire`, and `unpack` converts it back.

    msgspec can encode and decode the type `wire`. If `pack` is None, the value is encoded unchanged.
    """

    def __init__(
        self,
        wire: object,
        pack: Callable[[T], object] | None = None,
        unpack: Callable[[typing.Any], T] | None = None,
    ) -> None:
        self.wire: Final = wire
        self.pack: Final = pack
        self.unpack: Final = unpack
        self._decoder: Final = msgspec.json.Decoder(cast(type[T], wire))

    def encode(self, value: T) -> bytes:
        """Encode a value. Raises TypeError, or ValueError for invalid Unicode, if the value has no encoded form."""
        return _encoder.encode(value if self.pack is None else self.pack(value))

    def decode(self, data: bytes | msgspec.Raw) -> T:
        """Decode a value. Raises ValueError (msgspec.ValidationError is a subclass)."""
        value = self._decoder.decode(data)
        return value if self.unpack is None else self.unpack(value)


_Any: TypeAlias = "_Form[object]"


def _form_of(kind: object) -> _Any:
    """Return the form of a type. Raises TypeError if the type has no form."""
    try:
        form: _Any = _Form(kind)
        _check(msgspec.inspect.type_info(kind), set())
        return form
    except TypeError as error:
        origin, args = get_origin(kind), get_args(kind)
        if origin is UnionType or origin is typing.Union:
            return _union(args)
        if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
            return _sequence(_form_of(args[0]))
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return _struct(kind)
        raise TypeError(f"{kind} cannot be sent to another process: {error}") from None


def _check(info: object, seen: set[int]) -> None:
    """Raise TypeError if msgspec does not know a type or a part of the type. msgspec itself would fail later."""
    if isinstance(info, msgspec.inspect.CustomType):
        raise TypeError(f"{info.cls.__name__} has no encoded form")
    if isinstance(info, tuple):
        for part in info:
            _check(part, seen)
    elif isinstance(info, (msgspec.inspect.Type, msgspec.inspect.Field)) and id(info) not in seen:
        seen.add(id(info))
        for name in info.__struct_fields__:
            _check(getattr(info, name), seen)


def _pack(form: _Any, value: object) -> object:
    return value if form.pack is None else form.pack(value)


def _union(members: Sequence[object]) -> _Any:
    """Return the form of a union without tags: a value is encoded as the name of its class, then the value."""
    forms = {cast(type, member).__name__: _form_of(member) for member in members}
    if len(forms) < len(members):
        raise TypeError(f"two of {members} have the same name")

    def pack(value: object) -> object:
        name = type(value).__name__
        return name, _pack(forms[name], value)

    def unpack(wire: tuple[str, msgspec.Raw]) -> object:
        if wire[0] not in forms:
            raise ValueError(f"{wire[0]!a} is not one of {', '.join(forms)}")
        return forms[wire[0]].decode(wire[1])

    return _Form(tuple[str, msgspec.Raw], pack, unpack)


def _sequence(item: _Any) -> _Any:
    def pack(values: object) -> object:
        return [_pack(item, value) for value in cast("Iterable[object]", values)]

    def unpack(wire: Iterable[object]) -> object:
        return tuple(value if item.unpack is None else item.unpack(value) for value in wire)

    return _Form(tuple[item.wire, ...], pack, unpack)  # type: ignore[name-defined]


def _struct(kind: type[msgspec.Struct]) -> _Any:
    """Return the form of a struct with fields that msgspec cannot read: the fields in their order."""
    fields = msgspec.structs.fields(kind)
    names = tuple(field.name for field in fields)
    forms = tuple(_form_of(field.type) for field in fields)

    def pack(value: object) -> object:
        return tuple(_pack(form, getattr(value, name)) for name, form in zip(names, forms, strict=True))

    def unpack(wire: Sequence[object]) -> object:
        values = (item if form.unpack is None else form.unpack(item) for form, item in zip(forms, wire, strict=True))
        return kind(**dict(zip(names, values, strict=True)))

    return _Form(tuple[tuple(form.wire for form in forms)], pack, unpack)  # type: ignore[misc]


# --- the vocabulary of a game -----------------------------------------------------------------------


def members_of(union: object) -> tuple[type, ...]:
    """Return the classes of a union, or the class itself; the empty tuple for None."""
    if union is None:
        return ()
    return cast(tuple[type, ...], get_args(union)) or (cast(type, union),)


def answer_of(command: type[Command[R]]) -> object:
    """Return the type of the answers to a class of commands: the `R` of its base class `Command[R]`."""
    for base in command.__mro__:
        for origin in base.__dict__.get("__orig_bases__", ()):
            if isinstance(get_origin(origin), type) and issubclass(get_origin(origin), Command):
                (answer,) = get_args(origin)
                return NoneType if answer is None else answer
    raise TypeError(f"{command.__name__} does not declare the type of its answer: derive it from Command[TYPE]")


class Vocabulary:
    """The messages of one kind of owner: its commands, their answers, and its events."""

    # AF: an owner that takes commands of the classes in _answers. A form encodes each answer. Changes consist of events
    #     of one union. Safety from exposure: no method returns a field.

    def __init__(self, commands: object, events: object = None) -> None:
        """Make the vocabulary of `commands`, a union that includes the queries, and of `events`, a union or None.

        Raises TypeError if two classes have the same name, or a type cannot be sent.
        """
        classes = (*(kind for kind in members_of(commands) if kind is not Ping), Ping)
        self._answers: Final[dict[type, _Any]] = {kind: _form_of(answer_of(kind)) for kind in classes}
        self._commands: Final = msgspec.json.Decoder(typing.Union[classes])  # noqa: UP007  # `classes` is a tuple
        kinds = members_of(events)
        self._events: Final = _form_of(tuple[events, ...]) if kinds else _Form(tuple[()])  # type: ignore[valid-type]
        self._changes: Final = msgspec.json.Decoder(tuple[tuple[int, self._events.wire], ...])  # type: ignore[name-defined]

    def encode_command(self, command: Command[object]) -> bytes:
        """Encode a command. Raises InvalidCommand if it cannot be sent; TypeError if it is not in this vocabulary."""
        if command.__class__ not in self._answers:
            raise TypeError(f"{type(command).__name__} is no command of this game")
        try:
            return _encoder.encode(command)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidCommand(f"this cannot be sent: {error}") from None

    def decode_command(self, data: bytes) -> Command[object]:
        """Decode a command. Raises ValueError."""
        return cast("Command[object]", self._commands.decode(data))

    def encode_answer(self, command: Command[object], value: object) -> bytes:
        """Encode the answer to a command."""
        return self._answers[command.__class__].encode(value)

    def decode_answer(self, command: Command[R], data: bytes) -> R:
        """Decode the answer to a command. Raises ValueError."""
        return cast(R, self._answers[command.__class__].decode(data))

    def encode_changes(self, changes: Iterable[Change]) -> bytes:
        """Encode changes, without their count of missed changes."""
        return _encoder.encode([(change.version, _pack(self._events, change.events)) for change in changes])

    def decode_changes(self, data: bytes) -> list[Change]:
        """Decode changes. Raises ValueError."""
        unpack = self._events.unpack
        return [
            Change(version, cast("tuple[Event, ...]", events if unpack is None else unpack(events)))
            for version, events in self._changes.decode(data)
        ]

    def __str__(self) -> str:
        return f"{len(self._answers)} commands"


@functools.cache
def vocabulary_of(commands: object, events: object = None) -> Vocabulary:
    """Return the `Vocabulary` of `commands` and `events`. It is made once, because that takes milliseconds."""
    return Vocabulary(commands, events)


# --- errors -----------------------------------------------------------------------------------------


class _Failure(msgspec.Struct, frozen=True, array_like=True):
    """An error: its class and its base classes as `module:name`, its words and its fields.

    Only the name identifies the class, so a later version may move the class to another module.
    """

    kinds: tuple[str, ...]
    words: str
    fields: dict[str, msgspec.Raw]


_failures: Final = msgspec.json.Decoder(_Failure)
_classes: Final[dict[str, type[ScrambleError]]] = {}
_fields: Final[dict[type[ScrambleError], dict[str, _Any]]] = {}


def _learn(kind: type[ScrambleError]) -> None:
    _classes[kind.__qualname__] = kind
    for below in kind.__subclasses__():
        _learn(below)


def _forms_of_fields(kind: type[ScrambleError]) -> dict[str, _Any]:
    """Return the forms of the fields of an error. Parameters of its constructor have the annotated types."""
    if kind not in _fields:
        hints = get_type_hints(kind.__init__)
        taken = inspect.signature(kind.__init__).parameters.values()
        named = {one.name for one in taken if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}
        forms = _fields[kind] = {}
        for name in named & hints.keys():
            with suppress(TypeError):  # such as a path: this field is not sent
                forms[name] = _form_of(hints[name])
    return _fields[kind]


_any_form: Final[_Any] = _Form(object)


def encode_error(error: ScrambleError) -> bytes:
    """Encode an error: its class, its words, and all fields that can be sent, such as `code` and `params`."""
    kinds = [kind for kind in type(error).__mro__ if issubclass(kind, ScrambleError)]
    forms = _forms_of_fields(type(error))
    fields = {}
    for name, value in vars(error).items():
        if not name.startswith("_"):
            try:
                fields[name] = msgspec.Raw(forms.get(name, _any_form).encode(value))
            except (TypeError, ValueError):
                continue
    names = tuple(f"{kind.__module__}:{kind.__qualname__}" for kind in kinds)
    return _encoder.encode(_Failure(names, str(error), fields))


def decode_error(data: bytes) -> ScrambleError:
    """Decode an error. If this process does not know its class, return an error of the nearest known base class.

    An unreadable error, perhaps from another version of this program, becomes `GameMoved`: the answer is unknown.
    """
    try:
        return _read_error(_failures.decode(data))
    except ValueError as error:
        return GameMoved(f"the answer cannot be read here: {error}")


def _read_error(failure: _Failure) -> ScrambleError:
    if not failure.kinds:
        raise ValueError("an error has a class")
    names = [kind.rpartition(":")[2] for kind in failure.kinds]
    if names[0] not in _classes:
        _learn(ScrambleError)
    kind = next((_classes[name] for name in names if name in _classes), GameStopped)
    error = kind.__new__(kind)
    error.args = (failure.words,)
    forms = _forms_of_fields(kind)
    for name, raw in failure.fields.items():
        setattr(error, name, forms.get(name, _any_form).decode(raw))
    return error
