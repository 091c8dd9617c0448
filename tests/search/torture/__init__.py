"""The long forms of the tests that look for what no example would show: `make torture`."""
