"""The main job: read, fit, release, measure, write."""
