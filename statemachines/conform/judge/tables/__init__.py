"""What judging looks up, made once a machine: release classes, guards and properties compiled,
episodes as sets of states.
"""
