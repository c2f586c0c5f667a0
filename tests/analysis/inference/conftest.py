from __future__ import annotations

from hypothesis import settings

settings.register_profile("numerics", deadline=None)
settings.load_profile("numerics")
