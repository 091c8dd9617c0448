"""The simulator with many rooms: rooms sleep and wake, their process dies and restarts, and one room has a bug."""
