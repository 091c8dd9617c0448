"""Four in a row, a game for scramble. `fourinarow.rules` has the rules, `fourinarow.kind` the interface for servers."""
