"""The memory: tables, one writer, read-only search."""
