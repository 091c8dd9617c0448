"""The gathering in a room: presence, host, votes, names, and events for all people in the room.

Like a game, the gathering has pure rules and an owner. It runs beside the room's game. It has no log, so it begins
without people each time the room wakes. A stay in the room is a request that the gathering parks. A withdrawal of the
request ends the stay.
"""
