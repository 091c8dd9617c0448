"""Front ends: the games on the network, over HTTP, WebSocket and telnet."""
