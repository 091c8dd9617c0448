"""Options in sections of the help.

This module imports only click, because `scramble --help` imports it and must be fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

import click


class Section(Enum):
    """The titles of the help's sections, in the order of the help."""

    OWN = "Options"
    KEEPING_GAME = "Keeping the game"
    MANY_PROCESSES = "Many processes"
    KEEPING_ROOMS = "Keeping the rooms"
    PERMISSIONS = "Permissions"
    HTTPS = "HTTPS"
    OUTSIDE = "Seen from outside"
    LIMITS = "Limits"


class SectionedOption(click.Option):
    """An option in a section of the help.

    `hosted`: the option is also a setting of `scramble.app.create_app`, the application for other ASGI servers. Options
    of connections and of the process are not hosted, because the other server has its own settings for them.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        help: str,
        type: click.ParamType[object] | Callable[[str], object] | None = None,
        default: object = None,
        show_default: bool | str = False,
        metavar: str | None = None,
        is_flag: bool = False,
        multiple: bool = False,
        envvar: str | None = None,
        section: Section = Section.OWN,
        hosted: bool = True,
    ) -> None:
        """Make the option as click does."""
        super().__init__(
            names,
            help=help,
            type=type,
            default=default,
            show_default=show_default,
            metavar=metavar,
            is_flag=is_flag,
            multiple=multiple,
            envvar=envvar,
        )
        self.section: Final = section
        self.hosted: Final = hosted


def section_of(option: click.Option) -> Section:
    """Return the section of the option. An option without a section is in the first one."""
    return option.section if isinstance(option, SectionedOption) else Section.OWN


def is_hosted(param: click.Parameter) -> bool:
    """Return True if the parameter is a setting of `scramble.app.create_app`. True is the default."""
    return not isinstance(param, SectionedOption) or param.hosted
