"""The command line: the commands, their configuration, and the process of a server."""
