"""`python -m halfmask` is the command line."""

from halfmask.cli.entry import main

main()
