"""The door: files, dataframes and models, in and out."""
