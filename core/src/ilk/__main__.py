"""``python -m ilk``: the command line, where the script ``ilk`` is not on the path."""

from ilk.cli import main

if __name__ == "__main__":
    main()
