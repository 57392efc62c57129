"""What runs a benchmark and yields samples."""
