"""Options in sections of the help, and whether they are settings under another ASGI server, too.

This module imports click alone, because `scramble --help` imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

import click


class Section(Enum):
    """A section of the help by its title; sections are shown in this order."""

    OWN = "Options"
    KEEPING_GAME = "Keeping the game"
    MANY_PROCESSES = "Many processes"
    KEEPING_ROOMS = "Keeping the rooms"
    PERMISSIONS = "Who may do what"
    HTTPS = "HTTPS"
    OUTSIDE = "Seen from outside"
    LIMITS = "Limits"


class SectionedOption(click.Option):
    """An option in a section of the help.

    `hosted`: it is a setting of `scramble.app.create_app`, too. Options of connections and of the process are not: the
    other server has settings of its own for these.
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
    """Return the section of the option: the first one unless it says another."""
    return option.section if isinstance(option, SectionedOption) else Section.OWN


def is_hosted(param: click.Parameter) -> bool:
    """Return whether the parameter is a setting of `scramble.app.create_app`: it is unless it says no."""
    return not isinstance(param, SectionedOption) or param.hosted
