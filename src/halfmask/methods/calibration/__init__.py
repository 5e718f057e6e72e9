"""Calibration: releases that match counts of the original."""
