"""Choosing a method: `choice` is the way in; `worker` runs trials and loads little."""
