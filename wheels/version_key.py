"""An order-preserving text of a PEP 440 version."""
