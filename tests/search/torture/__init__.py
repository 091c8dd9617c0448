"""The long forms of the tests that search for faults with random input: `make torture`."""
