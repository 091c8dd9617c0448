"""Rooms on the network: many games on one site. Each room has its own address."""
