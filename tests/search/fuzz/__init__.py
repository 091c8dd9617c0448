"""Invalid and unusual inputs for every parser and every front end: valid inputs, mangled by a seed."""
