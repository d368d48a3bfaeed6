"""One file for each command: argv in, a report and an exit status out. Each imports only what its command needs."""
