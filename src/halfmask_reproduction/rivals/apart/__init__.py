"""What runs in the environment of another program: coded rows in, drawn rows out.

Nothing here imports halfmask, which is not installed there, and the packages of the others are
imported where they are used, because they are not installed here.
"""
