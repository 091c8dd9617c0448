"""The gathering in a room: who is here, who is the host, votes, names, and what happens for all to see.

It is a game like the others, beside the room's own: pure rules behind an owner, but without a log, so it begins anew
each time the room wakes. To be in a room is a request that the gathering parks, and that ends by being withdrawn.
"""
