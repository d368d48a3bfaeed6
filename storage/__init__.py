"""The memory: one catalog of everything that was ever seen. It must not know HTTP or the formats of pages."""
