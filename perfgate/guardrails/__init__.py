"""Rules on compile configuration, their evaluation and waivers."""
