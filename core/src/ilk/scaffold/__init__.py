"""The project behind ``ilk new``: a plugin with one component, whose tests pass at once."""
