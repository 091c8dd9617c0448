"""Sockets and protocols for any game: HTTP, WebSocket and telnet servers, protection, monitoring. Knows no game."""
