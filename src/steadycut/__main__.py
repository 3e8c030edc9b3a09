"""Run the command line as ``python -m steadycut``."""

from steadycut.cli.main import main

if __name__ == "__main__":
    main()
