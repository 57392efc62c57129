"""One file per kind of rule: what it finds wrong on one path through a file."""
