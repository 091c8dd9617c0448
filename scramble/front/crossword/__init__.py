"""Crossword Extravaganza on the network: WebSocket and telnet share one dialogue."""
