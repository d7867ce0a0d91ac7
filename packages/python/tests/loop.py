"""Runs the loop of a poster and a competitor, blocking and asynchronous. Its arguments are the platform's URL and an IP address."""

import asyncio
import os
import sys
import tempfile
import threading
import warnings
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, List, Tuple

import httpx

import bounty_platform as bounty
from bounty_platform import AsyncBountyClient, BountyClient
from bounty_platform.tools import BountyTools

base_url, address = sys.argv[1:3]
os.environ["BOUNTY_URL"] = base_url
SECTIONS = ("What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs")
README = "".join(f"# {name}\nIt prints hello. Ümläute.\n" for name in SECTIONS)
CRITERIA = [{"name": "Greets", "description": "prints hello", "weight": 100}]


def connect(api_key: Any = None) -> BountyClient:
    return BountyClient(api_key=api_key, http_client=httpx.Client(headers={"CF-Connecting-IP": address}))


nobody = connect()
poster = connect(nobody.register_anonymous(display_name="Poster").api_key)
agent_key = nobody.register_anonymous(display_name="Agent").api_key
agent = connect(agent_key)

deliveries: List[Tuple[Any, bytes]] = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        deliveries.append((self.headers, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
webhook = poster.create_webhook(url=f"http://127.0.0.1:{receiver.server_port}", events=["submission.completed"])
for scheme in ("standard", "svc"):
    event = bounty.verify_webhook(*deliveries[0], webhook.secret, scheme=scheme)
    assert isinstance(event, bounty.models.WebhookTestEvent) and event.webhook_id == webhook.id, event
poster.delete_webhook(webhook.id)
receiver.shutdown()

draft = poster.create_task(
    title=f"Greeting {address}",
    category="python",
    budget_cents=10_000,
    deadline=datetime.now(timezone.utc) + timedelta(days=3),
    criteria=CRITERIA,
)
data = poster.add_attachment(draft.id, file=("numbers.csv", b"a,b\n1,2\n"), field="input_spec", description="numbers")
dry_run = poster.start_dry_run(draft.id, files={"main.js": "console.log('hello') // prints"}, expected={"Greets": 90})
assert poster.wait_for_dry_run(dry_run.id, timeout=60, poll=0.2).status == "completed"
poster.publish_task(draft.id)
task = agent.get_task(draft.id)
assert task.deadline > datetime.now(timezone.utc) and task.criteria[0].name == "Greets"
assert draft.id in [each.id for each in agent.list_tasks(category="python", limit=1)]
assert agent.download_attachment(agent.list_attachments(draft.id)[0].download_url) == b"a,b\n1,2\n"

try:
    agent.submit(draft.id, {"../up": "x"})
    raise AssertionError("The check accepted everything.")
except bounty.BountyCheckError as error:
    assert len(error.problems) >= 1
try:
    agent.close_task(draft.id)
    raise AssertionError("A competitor closed a task.")
except bounty.PermissionDeniedError as error:
    assert error.code == "FORBIDDEN" and error.request_id

folder = Path(tempfile.mkdtemp())
(folder / "data").mkdir()
(folder / "SUBMISSION.md").write_text(README)
(folder / "main.js").write_text("console.log('hello') // prints")
(folder / "data" / "bytes.bin").write_bytes(bytes(range(256)))
(folder / ".env").write_text("KEY=1")
(folder / "notes.txt").write_text(agent_key)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    small = agent.submit(draft.id, folder, agent_display_name="Ada")
assert small.left_out == [".env", "notes.txt"] and any("notes.txt" in str(each.message) for each in caught)
seen: List[str] = []
ended = small.wait(timeout=60, on_progress=lambda each: seen.append(each.status))
assert ended.status == "completed" and ended.scores.final_score > 0 and seen[-1] == "completed", ended
assert {each.path for each in agent.list_submission_files(small.id)} == {"SUBMISSION.md", "main.js", "data/bytes.bin"}
assert agent.read_submission_file(small.id, "data/bytes.bin") == bytes(range(256))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    again = agent.submit(draft.id, folder, agent_display_name="Ada")
assert again.is_repeated and again.id == small.id
assert agent.get_submission(small.id).quota.used == 1

(folder / "big.bin").write_bytes(os.urandom(6_000_000))
phases: List[str] = []
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    zipped = agent.submit(draft.id, folder, on_progress=lambda step: phases.append(step.phase))
assert phases == ["reading", "packing", "checking", "registered", "uploading", "submitted"], phases
assert [each.type for each in zipped.stream()][-1] == "terminal"
assert zipped.wait(timeout=60).status == "completed"

evaluation = next(iter(agent.list_evaluations(small.id)))
verified = bounty.verify_receipt(evaluation, nobody.get_receipt_keys(), task=task)
assert bounty.verify_task(nobody.get_public_task(draft.id), verified.claims["task_sha256"]) == task.task_sha256
assert "final" in verified.recomputed
try:
    bounty.verify_receipt({**evaluation.to_dict(), "final_score": 1}, nobody.get_receipt_keys())
    raise AssertionError("A changed score was accepted.")
except bounty.VerificationError as error:
    assert "final_score" in str(error)

board = agent.get_leaderboard(draft.id)
assert board.me is not None and board.me.rank == 1
tools = {each.__name__: each for each in BountyTools(agent, str(folder)).functions()}
assert "numbers.csv" in tools["read_bounty"](draft.id)
assert tools["read_attachment"](draft.id, data.id) == "a,b\n1,2\n"
assert "final_score" in tools["wait_for_score"](small.id)


async def concurrently() -> None:
    http = httpx.AsyncClient(headers={"CF-Connecting-IP": address})
    async with AsyncBountyClient(api_key=agent_key, http_client=http) as client:
        submission, leaderboard = await asyncio.gather(client.get_submission(small.id), client.get_leaderboard(draft.id))
        assert submission.id == small.id and leaderboard.me is not None
        sent = await client.submit(draft.id, {"main.js": "console.log('hello') // prints, again"})
        assert (await sent.wait(timeout=60)).status == "completed"
        assert [each.type async for each in sent.stream()][-1] == "terminal"
        assert {each.id async for each in client.list_submissions()} == {small.id, zipped.id, sent.id}


asyncio.run(concurrently())
closing = threading.Timer(0.5, lambda: poster.close_task(draft.id))
closing.start()
assert [each.type for each in agent.stream_leaderboard(draft.id)][-1] == "terminal"
closing.join()
assert poster.export_task(draft.id).startswith(b"submission_id,")
received = next(iter(poster.list_task_submissions(draft.id)))
deal = poster.create_deal(taskId=draft.id, agentId=received.agent_id, dealType="output_purchase", dealValueCents=10_000)
assert agent.accept_deal(deal.id).status == "accepted"
print("done", bounty.__version__)
