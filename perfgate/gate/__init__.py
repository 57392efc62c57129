"""Policy, and from it one verdict per benchmark and one for the suite."""
