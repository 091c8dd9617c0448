"""The parts that all games share in a browser: pages, WebSockets, broadcast, presence and seats."""
