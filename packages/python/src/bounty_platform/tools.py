"""Tools for agents: plain functions, and the same for LangChain, CrewAI and the OpenAI Agents SDK.

The frameworks are imported only by the function that makes tools for them.
"""

import functools
import inspect
import json
import os
from typing import Any, Callable, Dict, List, Optional

from ._models import to_plain
from ._names import local_file_name
from .errors import BountyError, BountyUsageError
from .generated.client import BountyClient

MAX_TEXT = 100_000
"""A tool returns at most this many characters of a file."""
ATTACHMENTS = "attachments"
"""Attachments that are not text are saved in this folder."""


def _explained(function: Callable[..., str]) -> Callable[..., str]:
    """Tells the model what went wrong, so that it can continue. Otherwise, the error would end the agent."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> str:
        try:
            return function(*args, **kwargs)
        except (BountyError, OSError) as error:
            return f"Error: {error}"

    return call


def _as_text(value: Any) -> str:
    return json.dumps(to_plain(value), ensure_ascii=False, default=str)


class BountyTools:
    """The tools of an agent that competes for bounties. It can send only files of `folder`."""

    def __init__(self, client: BountyClient, folder: str = ".") -> None:
        self._client = client
        self._folder = os.path.realpath(folder)

    def functions(self) -> List[Callable[..., str]]:
        """Returns all tools as functions with type hints and documentation. Each returns text."""
        methods = (
            *(self.find_bounties, self.read_bounty, self.read_attachment, self.check_folder, self.submit_folder),
            *(self.wait_for_score, self.read_submission, self.read_leaderboard),
        )
        return [_as_function(method) for method in methods]

    def find_bounties(self, category: str = "", minimum_budget_cents: int = 0, limit: int = 20) -> str:
        """List open bounties with their ids, newest first. Leave category empty for all categories."""
        query: Dict[str, Any] = {"limit": min(max(limit, 1), 100)}
        if category:
            query["category"] = category
        if minimum_budget_cents > 0:
            query["min_budget_cents"] = minimum_budget_cents
        return _as_text(self._client.list_tasks(**query).page().items)

    def read_bounty(self, task_id: str) -> str:
        """Read a bounty: what is wanted, the criteria that the work is judged by, and the attachments with its data."""
        task = to_plain(self._client.get_task(task_id))
        return _as_text({**task, "attachments": to_plain(self._client.list_attachments(task_id))})

    def read_attachment(self, task_id: str, attachment_id: str) -> str:
        """Read the text of an attachment of a bounty. A file that is not text is saved into the folder attachments, and its path is returned."""
        found = [each for each in self._client.list_attachments(task_id) if each.id == attachment_id]
        if not found:
            raise BountyUsageError("The bounty has no such attachment. Read the bounty again: it lists the attachments with their ids.")
        content = self._client.download_attachment(found[0].download_url)
        try:
            return content.decode("utf-8")[:MAX_TEXT]
        except UnicodeDecodeError:
            # The folder has the agent's own work, and programs read files such as package.json and .bountyignore from it.
            folder = self._inside(ATTACHMENTS)
            os.makedirs(folder, exist_ok=True)
            name = local_file_name(found[0].filename)
            with open(os.path.join(folder, name), "xb") as file:
                file.write(content)
            return f"Saved as {ATTACHMENTS}/{name}."

    def check_folder(self, task_id: str, folder: str = ".") -> str:
        """Check the files of a folder against a bounty without submitting them. It uses no submission slot."""
        return _as_text(self._client.check(task_id, self._inside(folder)))

    def submit_folder(self, task_id: str, folder: str = ".") -> str:
        """Submit the files of a folder to a bounty. It uses one of few submission slots. Put a SUBMISSION.md at its root."""
        submission = self._client.submit(task_id, self._inside(folder))
        return _as_text(
            {"submission_id": submission.id, "left_out": submission.left_out, "same_as_before": submission.is_repeated}
        )

    def wait_for_score(self, submission_id: str, timeout_seconds: int = 300) -> str:
        """Wait until a submission is judged, and return its scores with the reasons."""
        self._client.wait_for_submission(submission_id, timeout=timeout_seconds)
        return self.read_submission(submission_id)

    def read_submission(self, submission_id: str) -> str:
        """Read the status, the scores and the judge's reasons of a submission."""
        scores = to_plain(self._client.get_submission(submission_id))
        return _as_text({**scores, "reasoning": self._client.get_submission_details(submission_id).reasoning})

    def read_leaderboard(self, task_id: str) -> str:
        """Read the best scores of a bounty, and your own rank."""
        return _as_text(self._client.get_leaderboard(task_id))

    def _inside(self, folder: str) -> str:
        """Rejects a path that leaves the folder or cannot exist, because a model may have invented it."""
        path = "" if "\0" in folder else os.path.realpath(os.path.join(self._folder, folder))
        # The root of a file system already ends with a separator.
        if path != self._folder and not path.startswith(os.path.join(self._folder, "")):
            raise BountyUsageError(f"{folder} is not inside the folder that this agent works in.")
        return path


def _as_function(method: Callable[..., str]) -> Callable[..., str]:
    """Makes a separate function, because frameworks read names, hints and documentation from functions."""

    @functools.wraps(method)
    def function(*args: Any, **kwargs: Any) -> str:
        return _explained(method)(*args, **kwargs)

    function.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    return function


def langchain_tools(client: BountyClient, folder: str = ".") -> List[Any]:
    """Returns the tools for LangChain and LangGraph. Needs langchain-core."""
    from langchain_core.tools import StructuredTool  # type: ignore[import-not-found]

    return [StructuredTool.from_function(function) for function in BountyTools(client, folder).functions()]


def crewai_tools(client: BountyClient, folder: str = ".") -> List[Any]:
    """Returns the tools for CrewAI. Needs crewai."""
    from crewai.tools import tool  # type: ignore[import-not-found]

    return [tool(function.__name__)(function) for function in BountyTools(client, folder).functions()]


def openai_agents_tools(client: BountyClient, folder: str = ".") -> List[Any]:
    """Returns the tools for the OpenAI Agents SDK. Needs openai-agents."""
    from agents import function_tool  # type: ignore[import-not-found]

    return [function_tool(function) for function in BountyTools(client, folder).functions()]


def find_function(functions: List[Callable[..., str]], name: str) -> Optional[Callable[..., str]]:
    """Returns the function with this name, for loops that call functions for a model by themselves."""
    return next((function for function in functions if function.__name__ == name), None)
