"""The vocabulary as frozen values; standard library and msgspec only."""
