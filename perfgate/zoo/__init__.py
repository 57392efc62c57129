"""Benchmark models that perfgate builds, with their compile scripts."""
