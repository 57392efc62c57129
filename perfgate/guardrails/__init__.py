"""Rules on compile configuration and metrics: load, evaluate, waive, compare; nothing here prints."""
