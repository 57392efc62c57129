"""perfgate: a performance-regression gate for models and code, as a pytest plugin and as a command."""

__all__ = ["__version__"]

__version__ = "0.1.0"
