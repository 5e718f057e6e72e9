"""`python -m halfmask` is the command line."""

from halfmask.cli import main

main()
