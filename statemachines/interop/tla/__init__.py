"""TLA+ modules and configurations of TLC."""
