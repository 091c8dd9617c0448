"""Rooms on the network: many games on one site, each below an address of its own."""
