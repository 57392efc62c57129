"""Other tools' result files, one reader for each format."""
