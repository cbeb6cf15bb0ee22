"""Sessions, Java, jobs with progress and Ctrl-C, and our code on the workers."""
