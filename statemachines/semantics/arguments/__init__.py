"""Values of types as arguments and parameters: sampled at random, enumerated in order."""
