"""Finished values as text for terminals, pull requests and machines."""
