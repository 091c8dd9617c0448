"""A kind of game as one value, for servers, rooms, bots and replays, and the search for installed kinds."""
