"""An audit of faults: what is killed, altered, hostile, full or done twice. `make audit` runs it."""
