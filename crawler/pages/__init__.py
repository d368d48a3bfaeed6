"""Page parsers: bytes, media type and final URL in; frozen records and a shape verdict out."""

PARSER_VERSION = 2
"""Grows with every change of what is read from a page: stored pages of an older version are parsed anew."""
