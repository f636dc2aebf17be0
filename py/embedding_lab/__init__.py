"""Embedding Lab: a character-level transformer that trains in a browser tab, and the experiments on it."""

__version__ = "0.1.0"
