"""The documents of halfmask: model, schema and asset files, read and written with checks."""
