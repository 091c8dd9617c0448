"""Bugs in the command line, the workers, the application for other servers, and the loading of games."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- servers ---
    Bug(
        "cli-keep-days-in-seconds",
        "rooms are removed half a minute after the end of their games",
        "scramble/cli/serve.py",
        "keep_s=options.keep_days * DAY_S,",
        "keep_s=options.keep_days,",
    ),
    Bug(
        "cli-signal-while-starting",
        "a server that reads a long journal when Ctrl-C comes ends late, and without closing its files",
        "scramble/cli/run.py",
        """                if not waiting.is_set():
                    starting.cancel()
""",
        "",
    ),
    Bug(
        "cli-journal-name-ignored",
        "two games with different names in one journal are one game",
        "scramble/cli/config.py",
        "Journal(self.game.journal, self.game.journal_name, same_start=same_start)",
        "Journal(self.game.journal, same_start=same_start)",
    ),
    Bug(
        "cli-event-silenced-for-ever",
        "an event that was logged twenty times is never logged again",
        "scramble/cli/logging.py",
        "lines = lines + 1 if second == now else 1",
        "lines = lines + 1",
    ),
    # --- workers ---
    Bug(
        "cli-ready-too-early",
        "systemd takes a service for started when only one of its workers serves",
        "scramble/cli/workers.py",
        "env={name: value for name, value in os.environ.items() if name != NOTIFY_VARIABLE},",
        "env=dict(os.environ),",
    ),
    Bug(
        "cli-orphaned-workers",
        "workers keep the port when the process that has started them is killed",
        "scramble/cli/worker_main.py",
        "    threading.Thread(target=_end_with_starter, daemon=True).start()\n",
        "",
    ),
    # --- the operator's commands ---
    Bug(
        "cli-list-removes-rooms",
        "a list of the rooms of a stopped server removes the rooms that are older than a month",
        "scramble/cli/rooms.py",
        "limits=RoomLimits(unentered_s=FOR_EVER_S), keep_s=FOR_EVER_S)",
        "limits=RoomLimits(unentered_s=FOR_EVER_S))",
    ),
    Bug(
        "cli-redis-not-awaited",
        "a server that starts a moment before Redis ends with an error",
        "scramble/cli/clustered.py",
        "open_link(parse_address(address), patient=True)",
        "open_link(parse_address(address))",
    ),
    # --- other servers, other games ---
    Bug(
        "cli-hosted-rooms-unguarded",
        "the rooms under another ASGI server accept requests without limits, and from pages of any origin",
        "scramble/app.py",
        "self._app = observed(guarded(app, site.protection), site.traffic)",
        "self._app = observed(app, site.traffic)",
    ),
    Bug(
        "cli-plugin-replaces-game",
        "another distribution replaces a game of this one if its game has the same name",
        "scramble/plugins.py",
        "(_distribution(point) != HOUSE, point.name)",
        "(_distribution(point) == HOUSE, point.name)",
    ),
)
