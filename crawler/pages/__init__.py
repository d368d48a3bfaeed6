"""Page parsers: bytes, media type and final URL in; frozen records and a shape verdict out."""
