"""The library's front door: dataframes in, the same kind of dataframe out."""
