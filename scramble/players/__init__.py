"""Players as people: the owner of a name, its spelling, its hue, and the release of cards when its player has gone."""
