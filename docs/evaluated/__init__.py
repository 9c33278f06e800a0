"""The parts of docs/evaluation.py, which writes the pages that compare the strategies."""
