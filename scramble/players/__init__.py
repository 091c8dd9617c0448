"""Players as people: whose a name is, how it is written, its color, and whether its player is still there."""
