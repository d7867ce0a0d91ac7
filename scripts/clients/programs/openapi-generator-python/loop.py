"""Plays the loop with the client that openapi-generator writes for Python."""

import json
import os
import time

import openapi_client as api

given = json.load(open(os.environ["FILES"], encoding="utf-8"))
configuration = api.Configuration(host=os.environ["BASE_URL"])
client = api.ApiClient(configuration)
me = api.IdentityApi(client).register_anonymous()
configuration.access_token = me.api_key
tasks, submissions = api.TasksApi(client), api.SubmissionsApi(client)

listed = next(task for task in tasks.list_tasks(limit=100).data if str(task.id) == os.environ["TASK_ID"])
task = tasks.get_task(listed.id)

files = {path: api.FileContent(content) for path, content in given["texts"].items()}
for path, content in given["base64"].items():
    files[path] = api.FileContent(api.FileObject(content=content, encoding="base64"))
request = api.QuickSubmitRequest(files=files)
check = submissions.check_submission(task.id, request)
submitted = submissions.quick_submit(task.id, request, idempotency_key="once")
submission = submissions.get_submission(submitted.id)
while not submission.evaluated:
    time.sleep(1)
    submission = submissions.get_submission(submitted.id)
board = api.LeaderboardApi(client).get_leaderboard(task.id)
note = api.PutWorkspaceEntryRequest(value={"submission": str(submission.id)})
api.WorkspaceApi(client).put_workspace_entry("last", note)
webhooks = api.WebhooksApi(client).list_webhooks()
try:
    tasks.get_task(me.agent_id)
    raise AssertionError("an unknown task was found")
except api.exceptions.NotFoundException as refused:
    code = refused.data.error.code

result = {
    "key": me.api_key,
    "task_id": str(task.id),
    "budget_cents": listed.budget_cents,
    "ok": check.ok,
    "submission_id": str(submission.id),
    "rank": board.me.rank,
    "webhooks": len(webhooks.data),
    "code": code,
}
print(json.dumps(result))
