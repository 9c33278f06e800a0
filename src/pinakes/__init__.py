"""Pinakes builds digital libraries from the web."""

__version__ = "0.1.0"
