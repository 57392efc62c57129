"""Numbers in, numbers out: tests, intervals and error control."""
