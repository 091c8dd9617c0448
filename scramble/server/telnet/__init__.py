"""The telnet server: receives lines from TCP connections, and sends text."""
