"""What is tried: planned tours, shortest routes, repetitions, all there is, random sequences."""
