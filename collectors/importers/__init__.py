"""Published formats of judgments: each declared as data in a module of its own, all read by one routine."""
