"""The routes of the handout, and routes that a course has changed: `--routes FILE`.

A line of the file maps one request: its name, the method, the target, and perhaps a body, which is sent as JSON:

    look     GET   /api/look?player={player}
    flip     POST  /api/flip   {"player": "{player}", "row": {row}, "column": {column}}
    watch    GET   /api/watch?player={player}
    replace  POST  /api/replace/{player}  {"from": "{old}", "to": "{new}"}

A request that the file does not name keeps the route of the handout. `#` begins a comment line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from scramble.conform.cases import CannotRun

_FIELDS: Final = MappingProxyType(
    {
        "look": frozenset({"player"}),
        "flip": frozenset({"player", "row", "column"}),
        "watch": frozenset({"player"}),
        "replace": frozenset({"player", "old", "new"}),
    }
)
_LINE: Final = re.compile(r"(\S+)\s+([A-Z]+)\s+(/\S*)(?:\s+(\S.*))?")
_NAME: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Route:
    """A template of one request."""

    method: str
    target: str
    body: str = ""

    def fill(self, values: Mapping[str, str]) -> tuple[str, bytes]:
        """Return the target, percent-encoded, and the body."""
        target = _NAME.sub(lambda name: quote(values[name[1]], safe=""), self.target)
        body = _NAME.sub(lambda name: json.dumps(values[name[1]])[1:-1], self.body)
        return target, body.encode()


HANDOUT: Final[Mapping[str, Route]] = MappingProxyType(
    {
        "look": Route("GET", "/look/{player}"),
        "flip": Route("GET", "/flip/{player}/{row},{column}"),
        "watch": Route("GET", "/watch/{player}"),
        "replace": Route("GET", "/replace/{player}/{old}/{new}"),
    }
)


def read_routes(text: str) -> Mapping[str, Route]:
    """Parse the content of a file of routes. Raises CannotRun with the line that is wrong."""
    routes = dict(HANDOUT)
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line)
        if parts is None or parts[1] not in _FIELDS:
            names = ", ".join(_FIELDS)
            raise CannotRun(
                f"line {number} of the routes is not NAME METHOD /TARGET [BODY], with a NAME of {names}: {line}"
            )
        name, method, target, body = parts[1], parts[2], parts[3], parts[4] or ""
        found = set(_NAME.findall(target + body))
        if found != _FIELDS[name]:
            wanted = ", ".join(f"{{{field}}}" for field in sorted(_FIELDS[name]))
            raise CannotRun(f"line {number} of the routes needs {wanted}, and no other names in braces: {line}")
        routes[name] = Route(method, target, body)
    return MappingProxyType(routes)
