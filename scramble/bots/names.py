"""Names of bots: each says that it is a bot, and is valid for players of all games."""

from __future__ import annotations

from collections.abc import Container
from itertools import count
from typing import Final

FIRST_NAMES: Final = ("Ada", "Alan", "Grace", "Emmy", "Kurt", "Sofia", "Leon", "Hedy", "Edsger", "Katherine", "Blaise")


def bot_name(taken: Container[str] = (), number: int = 0) -> str:
    """Return the name of a bot, such as `bot_Ada`, that is not among those taken; `number` is where to begin."""
    for position in count(number):
        again, which = divmod(position, len(FIRST_NAMES))
        name = f"bot_{FIRST_NAMES[which]}{again + 1 if again else ''}"
        if name not in taken:
            return name
    raise AssertionError("count never ends")


def bot_title(name: str) -> str:
    """Return the display name of the bot of that name, such as `bot Ada`."""
    return name.replace("_", " ")
