"""`python -m pinakes`."""

from pinakes.cli import main

main()
