"""Names of bots. Each name begins with "bot", and is valid for players of all games."""

from __future__ import annotations

from collections.abc import Container
from itertools import count
from typing import Final

FIRST_NAMES: Final = ("Ada", "Alan", "Grace", "Emmy", "Kurt", "Sofia", "Leon", "Hedy", "Edsger", "Katherine", "Blaise")


def bot_name(taken: Container[str] = (), number: int = 0) -> str:
    """Return a bot's name, such as `bot_Ada`, that is not in `taken`. The search begins at the name `number`."""
    for position in count(number):
        again, which = divmod(position, len(FIRST_NAMES))
        name = f"bot_{FIRST_NAMES[which]}{again + 1 if again else ''}"
        if name not in taken:
            return name
    raise AssertionError("count never ends")


def bot_title(name: str) -> str:
    """Return the display name of a bot, such as `bot Ada`, from its name."""
    return name.replace("_", " ")
