"""Which commit made a benchmark worse, with a probability, and without touching the user's repository."""
