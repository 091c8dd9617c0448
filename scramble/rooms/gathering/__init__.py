"""The gathering in a room: presence, host, votes, names, and events that all people see.

It is a game like the others, beside the room's own game: pure rules behind an owner. It has no log, so it begins anew
each time the room wakes. A stay in the room is a request that the gathering parks. A withdrawal of the request ends it.
"""
