"""Suite files, the runner, the environment fingerprint and record files."""
