"""The simulated devices: kernel cost, schedule, energy and noise."""
