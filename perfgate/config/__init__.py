"""Facts out of the repository's own files: commands, settings and keys with exact places."""
