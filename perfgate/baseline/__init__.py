"""The accepted records: store, trusted reading through git, update with provenance."""
