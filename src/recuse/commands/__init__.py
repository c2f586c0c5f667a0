"""The commands, one module each; :mod:`recuse.cli` loads a module when its command is called."""
