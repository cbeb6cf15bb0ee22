"""The passes that read `log:` of a machine, an extension and a family, episodes included."""
