"""What holds for all tests; which tests a run takes is said in tests/helpers/tiers.py."""

pytest_plugins = ["pytester", "tiers"]
