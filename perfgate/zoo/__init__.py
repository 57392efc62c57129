"""Benchmark models that perfgate builds, with their compile scripts."""

from perfgate.zoo.catalogue import build, names, presets

__all__ = ["build", "names", "presets"]
