"""Failures on purpose: ``matrix`` lists each of them with its promise and its tests."""
