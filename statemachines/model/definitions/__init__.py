"""What a spec defines, bare: machines and systems in one release and in all, their data, their log,
sets of releases; and their snapshots and answers.
"""
