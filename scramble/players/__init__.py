"""Players as people: the owner of a name, its spelling, its hue, and the release of cards after the player has left."""
