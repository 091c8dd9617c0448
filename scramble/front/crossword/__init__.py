"""Crossword Extravaganza on the network: WebSocket and telnet, with one dialogue for both."""
