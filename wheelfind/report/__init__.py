"""Answers as text: one file for each way to write them. None of them fetches, asks or decides."""
