"""From a diagnosis to a plan that can be applied, validated, rolled back, and remembered."""
