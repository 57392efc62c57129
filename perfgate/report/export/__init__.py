"""Profiles in the file formats of trace viewers and flame graphs."""
