"""What is held of instances of older generations once they are let go."""
