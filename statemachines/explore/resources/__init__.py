"""What a search may use: ceilings of states, steps, time and memory; interrupts that wait."""
