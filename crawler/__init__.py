"""The outside world: channels, the one HTTP client, page parsers and the walks over them."""
