"""Panorama (seed 002): from a research paper to a map of the web communities round it."""
