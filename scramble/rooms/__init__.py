"""Many games in one process: a register of rooms, and an owner task for each awake room."""

from scramble.rooms.folder import FolderError
from scramble.rooms.local import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.protocol import Headcount, Room, RoomRecord, Rooms

__all__ = ["FolderError", "Headcount", "LocalRooms", "Room", "RoomLimits", "RoomRecord", "Rooms", "open_rooms"]
