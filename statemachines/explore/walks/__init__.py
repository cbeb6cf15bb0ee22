"""Random walks through a machine or a system, and which events are enabled in a snapshot."""
