"""The version of this package, as its metadata has it too."""

__version__ = "0.1.0"
