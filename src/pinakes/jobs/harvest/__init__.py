"""Harvest (seed 003): the papers of a venue that a library lacks, found on their authors' homepages."""
