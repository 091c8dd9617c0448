"""Sockets and protocols: HTTP, WebSocket and telnet servers, protection, monitoring. Independent of the games."""
