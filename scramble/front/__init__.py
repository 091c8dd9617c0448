"""Front ends: each game to the network, over HTTP, WebSocket and telnet."""
