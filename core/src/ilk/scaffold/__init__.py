"""The project that ``ilk new`` creates: a plugin with one component and passing tests."""
