"""A game as one value: all that servers, rooms, bots and replays need of a kind of game, and the search for kinds."""
