"""Submits files or a zip: it checks them first, sends them once, and can resume."""

import base64
import json
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from ._core import Core
from ._folder import WorkFolder, content_key, read_path
from ._retry import backoff, is_transient
from ._types import Input
from ._zip import pack_zip
from .errors import BountyApiError, BountyCheckError, BountyIncompleteError, BountyUsageError, BountyWarning

QUICK_MAX_FILES = 2_000
QUICK_MAX_BYTES = 5 * 1024 * 1024
"""The number of bytes that fit, in base64, into the largest JSON body that the platform accepts."""
CHECK_MAX_BYTES = 20 * 1024 * 1024
"""Larger zips cannot be checked before they are submitted."""
COMPLETE_ATTEMPTS = 5

Work = Union[str, "os.PathLike[str]", Mapping[str, Union[str, bytes]], bytes]
"""The path of a folder, of a zip or of a single file; contents by path; or the bytes of a zip."""


@dataclass(frozen=True)
class SubmitProgress:
    """A step of a submission: `reading`, `packing`, `checking`, `registered`, `uploading` or `submitted`."""

    phase: str
    submission_id: Optional[str] = None
    """The slot is taken. Keep the id to resume."""


@dataclass(frozen=True)
class SubmitOptions:
    """Options for how work is submitted."""

    agent_display_name: Optional[str] = None
    idempotency_key: Optional[str] = None
    check: bool = True
    method: str = "auto"
    resume: Optional[str] = None
    include_secrets: bool = False
    filter: Optional[Callable[[str], bool]] = None
    on_progress: Optional[Callable[[SubmitProgress], None]] = None


@dataclass(frozen=True)
class Submitted:
    """A submission that has been made."""

    id: str
    check: Any
    """None if there was no check."""
    work: WorkFolder
    is_repeated: bool
    """True if this is an earlier submission of the same files. No further slot was used."""


def read_work(core: Core, work: Work, options: SubmitOptions) -> Tuple[WorkFolder, Optional[bytes]]:
    """Returns files, or the bytes of a zip, and warns about files that are left out."""
    if isinstance(work, (bytes, bytearray)):
        return WorkFolder(), bytes(work)
    if isinstance(work, Mapping):
        files = {path: content.encode() if isinstance(content, str) else bytes(content) for path, content in work.items()}
        found, zipped = WorkFolder(files=files, total_bytes=sum(map(len, files.values()))), None
    else:
        own = {"include_secrets": options.include_secrets, "api_key": core.api_key, "filter": options.filter}
        found, zipped = read_path(os.fspath(work), **own)
    if zipped is None and not found.files:
        raise BountyUsageError("There are no files to submit.")
    if found.secrets:
        left_out = ", ".join(found.secrets)
        warnings.warn(f"Left out because they look like secrets: {left_out}. include_secrets sends them.", BountyWarning, stacklevel=2)
    if found.links:
        warnings.warn(f"Left out because these links do not lead to a file that is sent: {', '.join(found.links)}", BountyWarning, stacklevel=2)
    return found, zipped


def suits_quick_submit(work: WorkFolder) -> bool:
    """Returns true if one JSON request can contain the files. Larger work is uploaded as a zip."""
    return len(work.files) <= QUICK_MAX_FILES and work.total_bytes <= QUICK_MAX_BYTES


def encode_files(files: Mapping[str, bytes]) -> Dict[str, Any]:
    """Returns contents in the form for `quick_submit`, `check_submission` and `start_dry_run`."""
    return {path: _encode_file(content) for path, content in files.items()}


def _encode_file(content: bytes) -> Any:
    """Keeps text as text, unless it is shorter in base64 than with the escapes of JSON."""
    try:
        text = None if b"\0" in content else content.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None and len(json.dumps(text, ensure_ascii=False)) - len(text) <= len(content) / 3 + 2:
        return text
    return {"content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}


async def check_work(core: Core, task_id: str, work: Work, options: SubmitOptions) -> Any:
    """Asks the platform what it would do with files or a zip. It uses no slot."""
    found, zipped = read_work(core, work, options)
    if zipped is None and suits_quick_submit(found):
        return await _check(core, task_id, {"body": {"files": encode_files(found.files)}})
    return await _check(core, task_id, _zip_body(pack_zip(found.files) if zipped is None else zipped))


async def submit_work(core: Core, task_id: str, work: Work, options: SubmitOptions) -> Submitted:
    """Checks work, submits it and starts its evaluation."""
    report = options.on_progress or (lambda _: None)
    report(SubmitProgress("reading"))
    found, zipped = read_work(core, work, options)
    is_quick = zipped is None and options.resume is None
    if is_quick and (suits_quick_submit(found) if options.method == "auto" else options.method == "quick-submit"):
        return await _submit_quickly(core, task_id, found, options)
    if zipped is None:
        if "SUBMISSION.md" not in found.files:
            raise BountyUsageError("A zip needs a SUBMISSION.md at its root. Work of more than 5 MB is always sent as a zip.")
        report(SubmitProgress("packing"))
        zipped = pack_zip(found.files)
    return await _submit_zip(core, task_id, zipped, found, options)


async def _check(core: Core, task_id: str, body: Mapping[str, Any]) -> Any:
    return await core.call(Input("checkSubmission", path={"id": task_id}, **body))


async def _check_first(core: Core, task_id: str, body: Mapping[str, Any], options: SubmitOptions) -> Any:
    if not options.check:
        return None
    if options.on_progress is not None:
        options.on_progress(SubmitProgress("checking"))
    result = await _check(core, task_id, body)
    if not result.ok:
        raise BountyCheckError(result)
    return result


def _zip_body(content: bytes) -> Dict[str, Any]:
    return {"content": content, "media_type": "application/zip"}


def _name_of(options: SubmitOptions) -> Dict[str, str]:
    return {} if options.agent_display_name is None else {"agent_display_name": options.agent_display_name}


async def _submit_quickly(core: Core, task_id: str, work: WorkFolder, options: SubmitOptions) -> Submitted:
    key = options.idempotency_key or content_key(task_id, work.files, options.agent_display_name)
    files = encode_files(work.files)
    check = await _check_first(core, task_id, {"body": {"files": files}}, options)
    response = await core.request(
        Input("quickSubmit", path={"id": task_id}, body={"files": files, **_name_of(options)}, headers={"Idempotency-Key": key})
    )
    submission_id: str = getattr(response.data, "id")
    if options.on_progress is not None:
        options.on_progress(SubmitProgress("submitted", submission_id))
    return Submitted(submission_id, check, work, response.headers.get("Idempotency-Replayed") == "true")


async def _submit_zip(core: Core, task_id: str, content: bytes, work: WorkFolder, options: SubmitOptions) -> Submitted:
    report = options.on_progress or (lambda _: None)
    can_check = options.resume is None and len(content) <= CHECK_MAX_BYTES
    check = await _check_first(core, task_id, _zip_body(content), options) if can_check else None
    if options.resume is None:
        made = await core.call(Input("createSubmission", path={"id": task_id}, body={**_name_of(options), "size_bytes": len(content)}))
        submission_id, upload_url = made.id, made.upload_url
    else:
        submission_id, upload_url = await _reopen(core, options.resume, len(content))
    report(SubmitProgress("registered", submission_id))
    try:
        if upload_url is not None:
            report(SubmitProgress("uploading", submission_id))
            await core.call(Input("putArtifact", signed_url=upload_url, content=content, media_type="application/zip"))
        await _complete(core, submission_id)
    except Exception as error:
        if is_transient(error):
            raise BountyIncompleteError(submission_id, error) from error
        raise
    report(SubmitProgress("submitted", submission_id))
    return Submitted(submission_id, check, work, False)


async def _reopen(core: Core, submission_id: str, size_bytes: int) -> Tuple[str, Optional[str]]:
    """Returns a new URL for the upload of a registered submission, or None if the artifact is already stored."""
    state = await core.call(Input("getSubmission", path={"id": submission_id}))
    if state.status != "registered" or state.next_step is not None:
        return submission_id, None
    body = {"size_bytes": size_bytes}
    return submission_id, (await core.call(Input("refreshUploadUrl", path={"id": submission_id}, body=body))).upload_url


async def _complete(core: Core, submission_id: str) -> None:
    """Completes a submission. This cannot be repeated blindly: after a failure, the submission's state says whether it was done."""
    for attempt in range(COMPLETE_ATTEMPTS):
        try:
            await core.call(Input("completeSubmission", path={"id": submission_id}))
            return
        except Exception as error:
            # An earlier attempt has completed it: one whose response was lost, or one before a resume.
            if isinstance(error, BountyApiError) and error.code == "WRONG_STATUS":
                return
            if not is_transient(error) or attempt + 1 >= COMPLETE_ATTEMPTS:
                raise
            await core.io.sleep(backoff(attempt))
            if (await core.call(Input("getSubmission", path={"id": submission_id}))).status != "registered":
                return


__all__: List[str] = ["SubmitOptions", "SubmitProgress", "Submitted", "Work", "check_work", "encode_files", "submit_work"]
