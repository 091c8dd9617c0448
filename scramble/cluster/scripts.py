"""The scripts that change the owner of a room's log and extend the log, and the requests that run the scripts.

Redis runs a script as one step. So an append happens only while its sender owns the room. If several processes claim a
room, exactly one of them becomes the owner:

    CLAIM     If the room still has the expected owner, or still no owner: make the claimant the owner, with a higher
              epoch, write a missing format key, and notify the former owner, because it may not be dead.
    APPEND    If the sender owns the room, and the log has the expected end: add the commands to the log, and remove the
              commands that the owner drops. Redis may remove them only with a later append.
    BEAT      Renew the heartbeat.
    RELEASE   If the sender owns the room: clear the owner. Any process may then claim the room at once.
    REMOVE    If the sender owns the room: delete the room and its log.

A full Redis (`maxmemory`) refuses a write in a script, unless the script has already written: Redis cannot stop a
script in the middle. So a script that must not fail first writes a command that changes nothing. Three scripts must not
fail: an append, because its commands have been applied; a heartbeat; and the claim of a room that has begun, because
only an owner can remove a room. The answer to an append says that Redis is full, so that the owner refuses later
commands.

A repeated append after a lost answer changes nothing, because the log already has its commands. So all scripts are sent
again until there is an answer. The law of this file: its functions raise no LinkLost.

    scr:{room}:room   hash     format; kind, first (the first state, JSON), began (s since 1970), of the first claim;
                               owner (a token), epoch; seq (the number of the last command); snapshot, snapshot-before
    scr:{room}:log    stream   an entry for each commit; its ID is `seq-0` of its last command. c: the commands, as
                               msgpack of [[ticket, time, JSON], ...]. d, if a digest is due: msgpack of
                               {number of a command: SHA-256 of the state after the command}

Safe under concurrency: this file keeps no state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple, TypeVar

import msgspec
import trio

from scramble.cluster.messages import Claimed, enveloped
from scramble.cluster.protocol import LinkLost, RedisLink, RedisRefused, RedisValue, RedisWord, Token
from scramble.errors import JournalError

KEYS_FORMAT: Final = 1
"""The format of rooms and logs. A process rejects rooms of another format."""

FORMAT_KEY: Final = "scr:format"
"""The key of the format of the whole database. Redis may lose the key, so every claim writes it if it is missing."""

RESTORING: Final = "restoring"
"""The beginning of the format key's value while a backup is being restored. No process can claim a room then."""

REFUSED_RETRY_S: Final = 0.05  # after a temporary refusal

CLAIM: Final = """
local format = redis.call('GET', KEYS[2])
if format and format ~= ARGV[1] then return {'database', format} end
local found = redis.call('HMGET', KEYS[1], 'format', 'owner', 'kind')
if found[1] and found[1] ~= ARGV[1] then return {'format', found[1]} end
if (found[2] or '') ~= ARGV[2] then return {'owned', found[2] or ''} end
if found[3] then
    redis.call('HDEL', KEYS[1], '')
else
    if ARGV[4] == '' then return {'unknown', ''} end
    redis.call('HSET', KEYS[1], 'format', ARGV[1], 'kind', ARGV[4], 'first', ARGV[5], 'began', ARGV[6], 'seq', '0')
end
if not format then redis.call('SET', KEYS[2], ARGV[1]) end
local token = redis.call('HINCRBY', KEYS[1], 'epoch', 1) .. ':' .. ARGV[3]
redis.call('HSET', KEYS[1], 'owner', token)
if ARGV[2] ~= '' then redis.call('PUBLISH', ARGV[7], ARGV[8]) end
return {'claimed', token}
"""

APPEND: Final = """
local found = redis.call('HMGET', KEYS[1], 'owner', 'seq')
if found[1] ~= ARGV[1] then return {'owned', found[1] or ''} end
if found[2] == ARGV[3] then return {'appended', ''} end
if found[2] ~= ARGV[2] then return {'gap', found[2] or ''} end
local entry = {KEYS[2]}
local function add(...)
    for _, word in ipairs({...}) do entry[#entry + 1] = word end
end
if ARGV[7] ~= '' then add('MINID', '~', ARGV[7]) end
add(ARGV[3] .. '-0', 'c', ARGV[4])
if ARGV[5] ~= '' then add('d', ARGV[5]) end
local answer, full = redis.pcall('XADD', unpack(entry)), ''
if type(answer) == 'table' and answer.err then
    if string.find(answer.err, 'OOM', 1, true) then
        full = 'full'
        redis.call('HDEL', KEYS[1], '')
    end
    redis.call('XADD', unpack(entry))
end
redis.call('HSET', KEYS[1], 'seq', ARGV[3])
if ARGV[6] ~= '' then
    local before = redis.call('HGET', KEYS[1], 'snapshot')
    if before then redis.call('HSET', KEYS[1], 'snapshot-before', before) end
    redis.call('HSET', KEYS[1], 'snapshot', ARGV[6])
end
return {'appended', full}
"""

BEAT: Final = """
redis.call('DEL', KEYS[1])
return redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
"""

RELEASE: Final = """
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'owner')
"""

REMOVE: Final = """
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('UNLINK', KEYS[1], KEYS[2])
"""

T = TypeVar("T")


class Beginning(NamedTuple):
    """A game before its first command: its kind, its first state (JSON), and its time (seconds since 1970)."""

    kind: str
    first: bytes
    began: float


class Claim(NamedTuple):
    """The answer to a claim: the present owner, and True if this claim has made the claimant the owner."""

    owner: Token | None
    won: bool


async def owner_of(link: RedisLink, room: str) -> Token | None:
    """Return the owner of a room; None if it has no owner or does not exist. Waits for Redis; raises RedisRefused."""
    owner = await persistently(partial(link.call, "HGET", link.names.room(room), "owner"))
    return parse_owner(owner)


async def claim(link: RedisLink, room: str, seen: Token | None, beginning: Beginning | None = None) -> Claim:
    """Claim a room for this process if the owner is still `seen`: a dead process, or None for no owner.

    The first claim of a room begins its log with `beginning`, in the same step. Later claims ignore `beginning`. Waits
    for Redis. After a cancellation this process may own the room. Raises RedisRefused. Raises JournalError if the room
    or the database has another format, or if the room has not begun and `beginning` is None; then nothing has changed.
    """
    what, text, asked_again = await _claim(link, room, seen, Beginning("", b"", 0.0))
    if what == b"unknown" and beginning is not None:  # sent only now: a first state may be large, and is seldom needed
        what, text, asked_again = await _claim(link, room, seen, beginning)
    if what == b"database":
        form = text.decode(errors="replace")
        raise JournalError(f"{FORMAT_KEY} in Redis is {form!a}, and this version of scramble knows {KEYS_FORMAT}")
    if what == b"format":
        raise JournalError(f"room {room} has format {text.decode()}, and this version of scramble knows {KEYS_FORMAT}")
    if what == b"unknown":
        raise JournalError(f"there is no game in room {room}")
    owner = parse_owner(text)
    # Perhaps the first try succeeded, and its answer was lost: no other process claims in the name of this process.
    won_before = asked_again and owner is not None and owner.process == link.process and owner != seen
    return Claim(owner, what == b"claimed" or won_before)


async def _claim(link: RedisLink, room: str, seen: Token | None, beginning: Beginning) -> tuple[bytes, bytes, bool]:
    """Return the answer of CLAIM, and True if it was sent more than once."""
    kind, first, began = beginning
    keys = [link.names.room(room), FORMAT_KEY]
    words: list[RedisWord] = [KEYS_FORMAT, str(seen or ""), link.process, kind, first, repr(began)]
    words += [link.names.asks(room), b"" if seen is None else enveloped(Claimed(seen.epoch))]
    asked_again = False
    while True:
        try:
            answer = await _passing_over(partial(link.run, CLAIM, keys, words))
            return (*msgspec.convert(answer, tuple[bytes, bytes]), asked_again)
        except LinkLost:
            asked_again = True


async def release(link: RedisLink, room: str, token: Token) -> None:
    """Give up a room, so that any process may claim it at once. Does nothing if another process owns it.

    Waits for Redis. After a cancellation the room may be released or not. Raises RedisRefused.
    """
    await persistently(partial(link.run, RELEASE, [link.names.room(room)], [str(token)]))


async def remove(link: RedisLink, room: str, token: Token) -> None:
    """Remove a room and its log. Does nothing if another process owns it. Waits and raises like `release`."""
    keys = [link.names.room(room), link.names.log(room)]
    await persistently(partial(link.run, REMOVE, keys, [str(token)]))


async def persistently(ask: Callable[[], Awaitable[T]]) -> T:
    """Return the answer of `ask`. Calls it again after a lost link and after a temporary refusal.

    Redis refuses temporarily while it starts, for instance. Raises RedisRefused for other refusals.
    """
    while True:
        try:
            return await _passing_over(ask)
        except LinkLost:
            continue  # the next call waits until there is a connection


async def _passing_over(ask: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await ask()
        except RedisRefused as refused:
            if not refused.is_passing:
                raise
        await trio.sleep(REFUSED_RETRY_S)


def parse_owner(owner: RedisValue) -> Token | None:
    """Parse the field `owner` of a room. Raises JournalError if it is no token."""
    if owner is None or owner == b"":
        return None
    try:
        return Token.parse(msgspec.convert(owner, bytes).decode())
    except ValueError as error:  # msgspec's errors are subclasses of it
        raise JournalError(f"a room in Redis has an owner that is no token: {error}") from None
