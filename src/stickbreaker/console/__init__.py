"""What the program's commands share: options, reading of inputs, runs, output and errors."""
