"""Tests of every installed kind of game. The kind itself provides the inputs."""
