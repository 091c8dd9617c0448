"""Bugs in the pages: the lobby, the three games, the replay, and what they share."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- shared ---
    Bug(
        "client-dead-connection",
        "a page whose server stops to answer without a close never reconnects",
        "client/shared/connection.js",
        "setTimeout(() => isUnanswered() && this.#renew(), ANSWER_MS);",
        "setTimeout(() => isUnanswered() && this.#slow(true), ANSWER_MS);",
    ),
    Bug(
        "client-closed-room-retried",
        "the page of a room that was closed tries to reconnect for ever",
        "client/shared/connection.js",
        "export const GONE = new Set([4404, 4410, 4503]);",
        "export const GONE = new Set([4404, 4503]);",
    ),
    Bug(
        "client-toast-fades-under-pointer",
        "a toast disappears while the user reads it with the pointer or the focus on it",
        "client/shared/toasts.js",
        """      if (toast.matches(":hover, :focus-within")) this.#fade(toast);
      else toast.remove();""",
        "      toast.remove();",
    ),
    Bug(
        "client-title-overwritten",
        "the title that a host is typing is replaced by the old title when somebody arrives",
        "client/shared/host.js",
        "    if (document.activeElement !== this.#title) this.#title.value = title;",
        "    this.#title.value = title;",
    ),
    Bug(
        "client-stand-in-time",
        "a stand-in host is told that all rights come now, although they come in some minutes",
        "client/shared/host.js",
        "new Date(Date.now() + allIn * 1000)",
        "new Date(Date.now() + allIn)",
    ),
    Bug(
        "client-screen-becomes-player",
        "a projector's screen opens the next game as a player, and asks for a name",
        "client/shared/room.js",
        """{ play: "", watch: "?watch", screen: "/screen" }""",
        """{ play: "", watch: "?watch", screen: "" }""",
    ),
    Bug(
        "client-newest-room-not-kept",
        "after forty rooms, the list of one's own rooms loses the newest instead of the oldest",
        "client/shared/myrooms.js",
        "JSON.stringify(rooms.slice(0, MOST))",
        "JSON.stringify(rooms.slice(-MOST))",
    ),
    Bug(
        "client-theme-of-other-tab",
        "a theme that is chosen in one tab does not reach the other open tabs",
        "client/shared/theme.js",
        "    chooseTheme(chosenTheme()); //",
        "    //",
    ),
    Bug(
        "client-ticket-stays-in-address",
        "the address of a page still has the ticket of a seat after the seat was taken with it",
        "client/shared/handover.js",
        """  history.replaceState(null, "", location.pathname + location.search);\n""",
        "",
    ),
    Bug(
        "client-toasts-cover-bar",
        "the buttons in the bar of a page cannot be pressed, because an invisible area for toasts covers them",
        "client/shared/messages.css",
        """  padding: 0 0.25rem;
  pointer-events: none;""",
        "  padding: 0 0.25rem;",
    ),
    # --- the lobby ---
    Bug(
        "client-lobby-forgets-rooms",
        "while the server cannot answer, the lobby removes one's own rooms from the list for ever",
        "client/lobby/lists.js",
        "for (const room of gone) forgetRoom(room);",
        "for (const { room } of myRooms()) if (!found.some((one) => one.room === room)) forgetRoom(room);",
    ),
    Bug(
        "client-lobby-stays-busy",
        "after a refused new game, all buttons of its card stay disabled",
        "client/lobby/newgame.js",
        "      this.#busy(false); //",
        "      //",
    ),
    Bug(
        "client-lobby-buttons-overflow",
        "on a narrow screen, the buttons of a card in the lobby extend beyond the card",
        "client/lobby/lobby.css",
        """  flex-wrap: wrap;
  gap: 0.5rem;
}

.card-acts > .button {
  flex: 1 1 0;""",
        """  gap: 0.5rem;
}

.card-acts > .button {
  flex: 1 0 auto;""",
    ),
    # --- Memory Scramble ---
    Bug(
        "client-memory-waiter-stays",
        "a card shows the badge of a player who waits for another card by now",
        "client/memory/game.js",
        "      if (before !== undefined) touched.add(before);\n",
        "",
    ),
    Bug(
        "client-memory-double-click",
        "a double click on a card counts as two moves, and releases the first card",
        "client/memory/board.js",
        "event.detail > 1 && cell === this.#clicked",
        "event.detail > 2 && cell === this.#clicked",
    ),
    Bug(
        "client-memory-left-not-marked",
        "the cards of a player who has left look as if the player were still here",
        "client/memory/board.js",
        "JSON.stringify([now, waiters, left, this.#me, names])",
        "JSON.stringify([now, waiters, this.#me, names])",
    ),
    Bug(
        "client-memory-still-waits",
        "after a reconnection, the page says that the player still waits for a card",
        "client/memory/memory.js",
        """    this.#asked.clear();
    this.#waitingId = null;""",
        "    this.#asked.clear();",
    ),
    # --- Minesweeper ---
    Bug(
        "client-minesweeper-old-craters",
        "a new field shows the craters of the field before",
        "client/minesweeper/field.js",
        "    if (!same) this.craters.clear();\n",
        "",
    ),
    Bug(
        "client-minesweeper-own-loss",
        "a player who digs a bomb is told about their own departure as if it were another player's",
        "client/minesweeper/minesweeper.js",
        "return id === this.#field.you || id === this.#lostAs;",
        "return id === this.#field.you;",
    ),
    Bug(
        "client-minesweeper-theme",
        "the field keeps its colours when the user switches to the dark theme",
        "client/minesweeper/board.js",
        'observe(document.documentElement, { attributeFilter: ["data-theme"] });',
        'observe(document.documentElement, { attributeFilter: ["theme"] });',
    ),
    Bug(
        "client-minesweeper-focus-lost",
        "the keyboard's focus leaves the field when a field of another size begins",
        "client/minesweeper/squares.js",
        "    if (hadFocus) this.focus(this.#grid.column, this.#grid.row, { preventScroll: true });\n",
        "",
    ),
    # --- Crossword Extravaganza ---
    Bug(
        "client-crossword-typed-stays",
        "letters that a player has typed but not entered still stand on the board after the match",
        "client/crossword/solver.js",
        "if (!same || !playing) this.#typed.clear();",
        "if (!same) this.#typed.clear();",
    ),
    Bug(
        "client-crossword-two-cursors",
        "every square that had the cursor stays marked as the cursor",
        "client/crossword/board.js",
        """        old.removeAttribute("data-cursor");\n""",
        "",
    ),
    Bug(
        "client-crossword-countdown",
        "the countdown for a player who has lost the connection is at zero from the beginning",
        "client/crossword/duel.js",
        "performance.now() + 1000 * missing.seconds_left",
        "performance.now() + missing.seconds_left",
    ),
    Bug(
        "client-crossword-no-hyphen",
        "a word with a hyphen cannot be typed on a phone, because its keyboard lacks the key",
        "client/crossword/keys.js",
        "asdfghjkl-",
        "asdfghjkl",
    ),
    # --- the replay ---
    Bug(
        "client-replay-part-lost",
        "a part of a recording that once could not be fetched is never fetched again",
        "client/replay/reel.js",
        "this.#fetch(number).finally(() => this.#asked.delete(number));",
        "this.#fetch(number);",
    ),
    Bug(
        "client-replay-steps-back",
        "a step back in a replay leaves the board as it was after the later move",
        "client/replay/replay.js",
        "if (this.#shown?.start !== piece.start || from > this.#seq) {",
        "if (this.#shown?.start !== piece.start) {",
    ),
    Bug(
        "client-replay-stops-following",
        "a replay of a running game stops to follow it after one look back, even at its end",
        "client/replay/replay.js",
        "this.#following = this.#seq === told;",
        "this.#following = false;",
    ),
)
