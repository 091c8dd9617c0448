"""Kinds of games, each as one value for servers, rooms, bots and replays. The module `table` finds installed kinds."""
