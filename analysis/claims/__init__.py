"""Claims as data, and whether they survive: the record, its quantity, the ladder and the verdict."""
