"""Claims about every installed kind of game, made from the kind itself."""
