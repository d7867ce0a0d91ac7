"""The part of a submission's handle that sends no requests."""

from typing import Optional

from ._core import Core
from ._submit import Submitted
from ._types import Input
from .generated import models


class Handle:
    """A submission to follow."""

    def __init__(self, core: Core, submission_id: str, submitted: Optional[Submitted] = None) -> None:
        self._core = core
        self.id = submission_id
        self.check: Optional[models.CheckResult] = None if submitted is None else submitted.check
        """The result of the check before submitting, with its warnings. None without a check."""
        self.left_out = [] if submitted is None else list(submitted.work.secrets)
        """The paths that were not sent, because they look like secrets."""
        self.is_repeated = submitted is not None and submitted.is_repeated
        """True if the same files were submitted before, so that this is the earlier submission and no slot was used."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def _read(self, operation: str) -> Input:
        return Input(operation, path={"id": self.id})
