"""The telnet server: lines from a TCP connection, and text to it."""
