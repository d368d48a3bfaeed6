"""What a wheel is: pure words about names, labels, pages and fit. No I/O, no clock, no environment."""
