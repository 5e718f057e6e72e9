"""From an original to a release: job, delivery, original, make, measure, judge, write."""
