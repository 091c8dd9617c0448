"""How a command with many options shows them in its help: in sections, those of the game first and the limits last."""

from __future__ import annotations

from typing import Final

import click

from scramble.limit_options import PREFIX

OWN: Final = "Options"
LIMITS: Final = "Limits"

SECTIONS: Final = {
    OWN: (),
    "Keeping the game": ("journal", "journal_name"),
    "Who may do what": ("seats", "origin", "no_replace", "no_new", "behind_proxy"),
    "HTTPS": ("certfile", "keyfile"),
    "Seen from outside": ("metrics", "log_format", "log_level"),
    LIMITS: (),
}
"""The sections in their order, and the parameters in them. Limits know theirs; the rest is the first's."""


def section_of(name: str | None) -> str:
    """The section of the parameter of that name."""
    if name is not None and name.startswith(PREFIX):
        return LIMITS
    return next((section for section, names in SECTIONS.items() if name in names), OWN)


class Sectioned(click.Command):
    """A command whose help has its options in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all options, each section under its title."""
        found: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                found[section_of(parameter.name)].append(record)
        for section, records in found.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)
