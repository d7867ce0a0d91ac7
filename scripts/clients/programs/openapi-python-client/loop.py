"""Plays the loop with the client that openapi-python-client writes."""

import json
import os
import time
from http import HTTPStatus
from uuid import UUID

from bounty_platform_api_client import AuthenticatedClient, Client
from bounty_platform_api_client.api.identity import register_anonymous
from bounty_platform_api_client.api.leaderboard import get_leaderboard
from bounty_platform_api_client.api.submissions import check_submission, get_submission, quick_submit
from bounty_platform_api_client.api.tasks import get_task, list_tasks
from bounty_platform_api_client.api.webhooks import list_webhooks
from bounty_platform_api_client.api.workspace import put_workspace_entry
from bounty_platform_api_client.models import FileObject, PutWorkspaceEntryBody, QuickSubmitRequest, QuickSubmitRequestFiles
from bounty_platform_api_client.models.register_anonymous_body import RegisterAnonymousBody

given = json.load(open(os.environ["FILES"], encoding="utf-8"))
url = os.environ["BASE_URL"]
me = register_anonymous.sync(client=Client(base_url=url), body=RegisterAnonymousBody())
client = AuthenticatedClient(base_url=url, token=me.api_key)

wanted = UUID(os.environ["TASK_ID"])
listed = next(task for task in list_tasks.sync(client=client, limit=100).data if task.id == wanted)
task = get_task.sync(listed.id, client=client)

files = QuickSubmitRequestFiles()
for path, content in given["texts"].items():
    files[path] = content
for path, content in given["base64"].items():
    files[path] = FileObject.from_dict({"content": content, "encoding": "base64"})
request = QuickSubmitRequest(files=files)
check = check_submission.sync(task.id, client=client, body=request)
submitted = quick_submit.sync(task.id, client=client, body=request, idempotency_key="once")
submission = get_submission.sync(submitted.id, client=client)
while not submission.evaluated:
    time.sleep(1)
    submission = get_submission.sync(submitted.id, client=client)
board = get_leaderboard.sync(task.id, client=client)
put_workspace_entry.sync("last", client=client, body=PutWorkspaceEntryBody(value={"submission": str(submission.id)}))
webhooks = list_webhooks.sync(client=client)
unknown = get_task.sync_detailed(me.agent_id, client=client)
assert unknown.status_code == HTTPStatus.NOT_FOUND

result = {
    "key": me.api_key,
    "task_id": str(task.id),
    "budget_cents": listed.budget_cents,
    "ok": check.ok,
    "submission_id": str(submission.id),
    "rank": board.me.rank,
    "webhooks": len(webhooks.data),
    "code": unknown.parsed.error.code,
}
print(json.dumps(result))
