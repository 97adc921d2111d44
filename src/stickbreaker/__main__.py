"""The program as `python -m stickbreaker`, where the command `stickbreaker` is not on the path."""

from stickbreaker.cli import main

if __name__ == "__main__":
    main()
