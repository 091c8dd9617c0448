"""Opening a room over the network: parsing of requests, permissions, and rate limits.

    order = parse_order(body, rooms.kinds)     # raises BadSettings, with words for each invalid field
    doorkeeper.admit(host, token)              # raises MayNotOpen or TooManyOpened
    record = await rooms.create(...)

Safe under concurrency: the counts change between two awaits.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from itertools import islice
from math import ceil
from typing import Final, Literal, TypeAlias, TypeGuard, cast

import msgspec

from scramble.errors import CallerError, InvalidCommand
from scramble.front.rooms.held import Find, HeldRooms
from scramble.games.bot import LEVELS
from scramble.games.kind import GameKind
from scramble.games.settings import MOST_MISTAKES, BadSettings, FieldError, shortened
from scramble.rooms.gathering.refusals import TooFast
from scramble.rooms.names import TitleTooLong, settled_title
from scramble.rooms.protocol import BotSetting, Names, RoomOrder, RoomRecord
from scramble.server.protection.by_address import Pace, RateLimiter, account, is_local
from scramble.server.protection.limits import ServerLimits

OpenRooms: TypeAlias = Literal["anybody", "local", "token"]
"""Permission to open rooms: for all clients, for clients on this machine, or for clients with the server's token."""

ORDER_BODY_BYTES: Final = 1024 * 1024  # limit for a request to open a room; a board of 10,000 cards has less text
MOST_BOTS_IN_ROOM: Final = 3
TURN_CLOCKS: Final = (20, 45, 90)  # the choices, in seconds
BOARD_BYTES_PER_HOUR: Final = 20_000_000  # limit for the clients' boards from one address: 20 largest boards
TITLES_PER_MINUTE: Final = 6  # limit for one address; each new title permanently takes 279 bytes of the register
TITLES_AT_ONCE: Final = 20
ROOMS_PER_MINUTE: Final = 30  # limit for one address; each student of a class opens a room

PARSED_PER_MINUTE: Final = 60  # settings of next games and imported puzzles, from one address; a class has many hosts
PARSED_BY_HOLDER: Final = 20  # settings of next games a minute, from one client; a person fills in a form more slowly

TOKEN_HEADER: Final = "Scramble-Token"
"""The header with the server's token, for a server where only clients with the token may open rooms."""

MOST_QUOTES: Final = 400  # limit for the unescaped quotation marks in an order: ten times the need of its fields
LONGEST_LIST: Final = 1000  # bytes of a list, or of an object other than the settings; a list of all bots has 90 bytes
LONG: Final = object()
"""Replacement for a list or object above the limit. Decoding 300,000 empty lists would take half a second."""

ORDER_FIELDS: Final = ("game", "title", "public", "names", "bots", "turn_clock", "settings")


class MayNotOpen(CallerError):
    """The operator has not given this client permission to open rooms."""

    code = "may-not-open"
    status = 403

    def __init__(self, who: Literal["local", "token"]) -> None:
        self.params = {"who": who}
        openers = "clients on its own machine" if who == "local" else "clients with its token"
        super().__init__(f"on this server only {openers} may open rooms")


class TooManyOpened(CallerError):
    """The client's address has opened too many rooms recently. It may open the next room after `wait_s` seconds."""

    code = "too-many-opened"
    status = 429

    def __init__(self, wait_s: int) -> None:
        self.wait_s = wait_s
        self.params = {"wait_s": wait_s}
        super().__init__(f"your address has opened many rooms just now: try again in {wait_s} s")


def parse_order(
    body: bytes, kinds: Collection[str], *, most_bots: int = MOST_BOTS_IN_ROOM, turn_s: float | None = 45.0
) -> tuple[str, Mapping[str, object], RoomOrder]:
    """Parse the JSON in `body`. Return one of `kinds`, the settings, and the other choices for a room.

    `turn_s` is the default turn clock.

    Raises BadSettings with words for each invalid field. The kind of game checks the contents of `settings`, not this
    function.
    """
    given = _object(body)
    known = ", ".join(ORDER_FIELDS)
    unknown = FieldError.of("unknown-field", "there is no such field", known=known)
    names = islice((name for name in given if name not in ORDER_FIELDS), MOST_MISTAKES)
    errors = {shortened(name): unknown for name in names}

    game = given.get("game")
    if not (isinstance(game, str) and game in kinds):
        errors["game"] = _one_of(kinds)
    title = given.get("title", "")
    if isinstance(title, str):
        try:
            settled_title(title)
        except InvalidCommand as invalid:
            code = "title-too-long" if isinstance(invalid, TitleTooLong) else "bad-title"
            errors["title"] = FieldError.of(code, str(invalid), **invalid.params)
    else:
        errors["title"] = FieldError.of("not-text", "a text")
    public = given.get("public", False)
    if not isinstance(public, bool):
        errors["public"] = FieldError.of("not-boolean", "true or false")
    names_are = given.get("names", "seats")
    if names_are not in ("seats", "open"):
        errors["names"] = FieldError.of("not-one-of", "seats or open", choices="seats, open")
    settings = given.get("settings", {})
    if not _is_object(settings):
        errors["settings"] = FieldError.of("not-object", "an object")
    bots = _bots(given.get("bots", []), most_bots, errors)
    turn_s = parse_turn_s(given["turn_clock"], errors) if "turn_clock" in given else turn_s
    if errors:
        raise BadSettings(errors)
    order = RoomOrder(str(title), bool(public), cast(Names, names_are), bots=bots, turn_s=turn_s)
    return str(game), cast(Mapping[str, object], settings), order


def parse_attempt(body: bytes) -> str:
    """Return the game in the JSON `body` of a request for a daily challenge, such as `{"game": "memory"}`.

    Raises BadSettings.
    """
    try:
        return msgspec.json.decode(body, type=dict[Literal["game"], str])["game"]
    except (msgspec.ValidationError, KeyError):
        words = "the name of a game"
        raise BadSettings({"game": FieldError.of("not-text", words)}) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadSettings({"body": FieldError.of("not-json", f"not JSON: {error}", reason=str(error))}) from None


def settings_in(body: bytes, kinds: Mapping[str, GameKind]) -> tuple[GameKind, Mapping[str, object]] | None:
    """Return the kind of game and the settings in a body with other errors. None if kind or settings are invalid."""
    try:
        given = _object(body)
    except BadSettings:
        return None
    game, settings = given.get("game"), given.get("settings")
    if isinstance(game, str) and game in kinds and _is_object(settings) and settings:
        return kinds[game], settings
    return None


def _object(body: bytes) -> dict[str, object]:
    """Return the fields of an order. Does not decode values that are too long for every field: this saves time."""
    if body.count(b'"') - body.count(b'\\"') > MOST_QUOTES:  # each name of a field begins with a quotation mark
        known = ", ".join(ORDER_FIELDS)
        raise BadSettings({"body": FieldError.of("unknown-field", "there are many unknown fields", known=known)})
    try:
        given = _FIELDS.decode(body)
        fields = {name: _value(raw) for name, raw in given.items() if name != "settings"}
        if "settings" in given:
            fields["settings"] = _settings(given["settings"])
    except msgspec.ValidationError:
        raise BadSettings({"body": FieldError.of("not-object", "a JSON object")}) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadSettings({"body": FieldError.of("not-json", f"not JSON: {error}", reason=str(error))}) from None
    return fields


def _settings(raw: msgspec.Raw) -> object:
    if _first(raw) == b"{":
        return {name: _value(value) for name, value in _FIELDS.decode(raw).items()}
    return _value(raw)


def _value(raw: msgspec.Raw) -> object:
    """Return the decoded value; `LONG` for a list or an object that is too long for every field."""
    return LONG if memoryview(raw).nbytes > LONGEST_LIST and _first(raw) in b"[{" else msgspec.json.decode(raw)


def _first(raw: msgspec.Raw) -> bytes:
    return bytes(memoryview(raw)[:1])


def _one_of(words: Iterable[str]) -> FieldError:
    choices = ", ".join(words)
    return FieldError.of("not-one-of", f"one of {choices}", choices=choices)


_FIELDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)  # JSON: all keys are strings


def _bots(given: object, most: int, errors: dict[str, FieldError]) -> tuple[BotSetting, ...]:
    if given is LONG or (isinstance(given, list) and len(given) > most):
        errors["bots"] = FieldError.of("too-many-bots", f"{most} at most", most=most)
        return ()
    if not isinstance(given, list):
        errors["bots"] = FieldError.of("not-list", 'a list such as [{"level": "easy"}]')
        return ()
    found: list[BotSetting] = []
    for number, bot in enumerate(given):
        level: object = bot.get("level", "medium") if _is_object(bot) else None
        if level not in LEVELS:
            errors[f"bots.{number}.level"] = _one_of(LEVELS)
        elif _is_object(bot) and bot.keys() - {"level"}:
            errors[f"bots.{number}"] = FieldError.of("bad-bot", "a bot has only a level")
        else:
            found.append(BotSetting(level))
    return tuple(found)


def parse_turn_s(given: object, errors: dict[str, FieldError]) -> float | None:
    """Return the seconds of a turn clock; None for "off". An invalid value adds an error to `errors`."""
    if given == "off":
        return None
    if isinstance(given, int) and given in TURN_CLOCKS:
        return float(given)
    clocks = ", ".join(map(str, TURN_CLOCKS))
    words = f"off, or a number of seconds: one of {clocks}"
    errors["turn_clock"] = FieldError.of("not-one-of", words, choices=f"off, {clocks}")
    return None


def require_opener(who: OpenRooms, wanted: str, host: str, token: str) -> None:
    """Raise MayNotOpen unless the client at the address `host` may open rooms. `wanted` is the server's token."""
    if who == "local" and not is_local(account(host)):
        raise MayNotOpen("local")
    if who == "token" and not secrets.compare_digest(token.encode(), wanted.encode()):
        raise MayNotOpen("token")


def _per_minute(most: float) -> RateLimiter:
    return RateLimiter(ServerLimits(requests_per_s=most / 60, requests=most))


class Doorkeeper:
    """Permissions and rate limits for opening rooms. A server has one doorkeeper. Implements `OpeningLimits`."""

    # AF: `who` may open rooms; if `who` is "token", clients with _token may open rooms. _rate counts the recently
    #     opened rooms of each address. _parsed and _parsed_by count other parsed settings and puzzles, by address and
    #     by holder. _boards counts the bytes of boards, and _titles counts the new titles, by address. _held limits the
    #     open rooms. _limited_here: the limits also apply to this machine.

    def __init__(
        self,
        who: OpenRooms = "anybody",
        *,
        token: str = "",
        per_minute: float | None = None,
        held: HeldRooms | None = None,
    ) -> None:
        """Allow each address `per_minute` rooms a minute, and the same number at once. None: the default.

        With the default, this machine has no limit. `held` limits the open rooms of an address. Raises ValueError if
        `who` is "token", and the token is empty.
        """
        if who == "token" and not token:
            raise ValueError("the token for opening rooms is missing")
        self.who: Final = who
        self._held: Final = held or HeldRooms()
        self._token: Final = token
        most = per_minute or ROOMS_PER_MINUTE
        self._limited_here: Final = per_minute is not None
        self._rate: Final = _per_minute(most)
        self._parsed: Final = _per_minute(PARSED_PER_MINUTE)
        self._parsed_by: Final = _per_minute(PARSED_BY_HOLDER)
        self._boards: Final = Pace(BOARD_BYTES_PER_HOUR / 3600, 1, at_once=BOARD_BYTES_PER_HOUR)
        self._titles: Final = RateLimiter(ServerLimits(requests_per_s=TITLES_PER_MINUTE / 60, requests=TITLES_AT_ONCE))

    def admit(self, host: str, token: str = "") -> None:
        """Count a room that the client at the address `host` opens. Raises MayNotOpen or TooManyOpened."""
        self.require(host, token)
        self.count(host)

    def may_open(self, host: str, token: str = "") -> bool:
        """Return True if the client at the address `host` may open rooms with `token`."""
        try:
            self.require(host, token)
        except MayNotOpen:
            return False
        return True

    def require(self, host: str, token: str = "") -> None:
        """Raise MayNotOpen unless the client at the address `host` may open rooms with `token`."""
        require_opener(self.who, self._token, host, token)

    def count(self, host: str) -> None:
        """Count a room that the client at the address `host` opens. The client has permission. Raises TooManyOpened."""
        if self.asker(host) is not None:
            wait_s = self._rate.wait_s(host)
            if wait_s:
                raise TooManyOpened(wait_s)

    def count_parsing(self, host: str, holder: str = "") -> None:
        """Count one parsing of settings or a puzzle that opens no room. Raises TooFast."""
        asker = self.asker(host)
        if asker is not None and (self._parsed.wait_s(asker) or (holder and self._parsed_by.wait_s(holder))):
            raise TooFast

    def asker(self, host: str) -> str | None:
        """Return the account of a client for `FairTurns`; None for a client without limits."""
        return account(host) if self._limited_here or not is_local(account(host)) else None

    def charge(self, host: str, size: int) -> None:
        """Count a board of `size` bytes from a client at the address `host`. Raises TooManyOpened."""
        if self._limited_here or not is_local(account(host)):
            wait_s = self._boards.afford(host, size)
            if wait_s:
                raise TooManyOpened(ceil(wait_s))

    async def open(self, host: str, find: Find, create: Callable[[], Awaitable[RoomRecord]]) -> RoomRecord:
        """Open a room with `create`, like `HeldRooms.open`."""
        return await self._held.open(host, find, create)

    def count_title(self, host: str) -> None:
        """Count a new room title from a client at the address `host`. Raises TooFast."""
        if (self._limited_here or not is_local(account(host))) and self._titles.wait_s(host):
            raise TooFast

    def __str__(self) -> str:
        return f"{self.who} may open rooms; {self._rate}"
