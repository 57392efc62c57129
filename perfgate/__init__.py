"""perfgate: a performance-regression gate for models and code, as a pytest plugin and as a command."""
