"""Tests requests, errors, lists and streams against a scripted platform."""

import asyncio
import json
import os
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List
from unittest import mock

import httpx

import bounty_platform as bounty
from bounty_platform import AsyncBountyClient, BountyClient
from bounty_platform._sse import EventReader
from bounty_platform.tools import BountyTools, crewai_tools, langchain_tools, openai_agents_tools

URL = "https://bounties.test"
SERVER_URLS = Path(__file__).parents[3] / "test" / "packages" / "server-urls.json"
TASK = "01a230d9-a660-778d-8de6-c44c789d6478"
SUBMISSION: Dict[str, Any] = {
    **{"id": "01a23632-5d00-7b54-8cda-2672b4ec16b5", "task_id": TASK, "agent_id": "a", "agent_display_name": "Ada"},
    **{"status": "running", "evaluated": False, "scores": None, "dimensions": [], "position": None, "iteration": 1},
    **{"quota": {"used": 1, "limit": 15, "remaining": 14}, "missing_sections": [], "artifact": None},
    "created_at": "2026-12-02T10:00:41.000Z",
}
JUDGED = {**SUBMISSION, "status": "completed", "evaluated": True}


def refusal(status: int, code: str, *, headers: Dict[str, str] = {}, **details: Any) -> httpx.Response:
    body = {"error": {"code": code, "message": f"It is {code}.", "details": details}}
    return httpx.Response(status, json=body, headers={"X-Request-Id": "r1", **headers})


def events(*texts: str) -> httpx.Response:
    return httpx.Response(200, content="".join(texts).encode(), headers={"Content-Type": "text/event-stream"})


def event(name: str, number: int, data: Any) -> str:
    return f"event: {name}\nid: {number}\ndata: {json.dumps(data)}\n\n"


class Script:
    """Responds to requests one after the other, and records them."""

    def __init__(self, *responses: Any) -> None:
        self.responses = list(responses)
        self.requests: List[httpx.Request] = []
        self.slept: List[float] = []

    def handle(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response(request) if callable(response) else response

    def client(self, base_url: str = URL, **options: Any) -> BountyClient:
        client = BountyClient(base_url, "svc_sk_test", http_client=httpx.Client(transport=httpx.MockTransport(self.handle)), **options)

        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        client._core.io.sleep = sleep  # type: ignore[method-assign]
        return client


class Requests(unittest.TestCase):
    def test_urls_from_the_platform_are_not_closer_than_the_platform(self) -> None:
        for case in json.loads(SERVER_URLS.read_text()):
            for url in case["urls"]:
                for method in ("GET", "PUT"):
                    with self.subTest(base=case["base"], url=url, method=method):
                        script = Script(httpx.Response(200, content=b""))
                        client = script.client(base_url=case["base"])
                        call = (lambda: client.download_attachment(url)) if method == "GET" else (lambda: client.put_artifact(url, content=b"1"))
                        if case["follows"]:
                            call()
                        else:
                            self.assertRaises(bounty.BountyUsageError, call)
                        self.assertEqual(len(script.requests), 1 if case["follows"] else 0)

    def test_values_have_types(self) -> None:
        script = Script(httpx.Response(200, json=JUDGED, headers={"X-Request-Id": "r9", "X-D1-Bookmark": "b1"}), httpx.Response(200, json=JUDGED))
        client = script.client()
        submission = client.get_submission(SUBMISSION["id"])
        self.assertEqual((submission.status, submission.quota.remaining, submission.created_at.year), ("completed", 14, 2026))
        self.assertEqual(submission._request_id, "r9")
        self.assertEqual(submission.to_dict()["task_id"], TASK)
        self.assertEqual(submission.to_dict()["created_at"], JUDGED["created_at"])
        client.get_submission(SUBMISSION["id"])
        self.assertEqual(script.requests[0].headers["Authorization"], "Bearer svc_sk_test")
        self.assertEqual(script.requests[1].headers["X-D1-Bookmark"], "b1")
        self.assertRegex(script.requests[0].headers["User-Agent"], r"^bounty-platform-python/\d")

    def test_some_fields_and_unknown_ones(self) -> None:
        script = Script(httpx.Response(200, json={"status": "odd", "new": {"a": 1}}))
        submission = script.client().get_submission("s", fields="status")
        self.assertEqual((submission.status, submission.to_dict()), ("odd", {"status": "odd", "new": {"a": 1}}))
        self.assertEqual(str(script.requests[0].url), f"{URL}/api/v1/submissions/s?fields=status")

    def test_errors_have_a_class_by_status(self) -> None:
        script = Script(refusal(404, "NOT_FOUND", next_actions=[{"method": "GET", "href": "/x", "description": "d"}]))
        with self.assertRaises(bounty.NotFoundError) as caught:
            script.client().get_task("t")
        error = caught.exception
        self.assertEqual((error.code, error.status, error.request_id), ("NOT_FOUND", 404, "r1"))
        self.assertEqual(error.next_actions[0]["href"], "/x")
        self.assertIn("NOT_FOUND", str(error))
        proxy = Script(httpx.Response(400, text="<h1>Bad   gateway</h1>"))
        with self.assertRaisesRegex(bounty.BadRequestError, "HTTP_400: Status 400 without the platform's error format: <h1>Bad gateway"):
            proxy.client().get_task("t")

    def test_repeats_what_is_safe_to_repeat(self) -> None:
        retries: List[bounty.Retry] = []
        script = Script(
            refusal(429, "RATE_LIMITED", headers={"Retry-After": "7"}),
            httpx.ConnectError("broken"),
            httpx.Response(502, text="bad gateway"),
            httpx.Response(200, json=JUDGED),
        )
        script.client(on_retry=retries.append).get_submission("s")
        self.assertEqual([(each.attempt, type(each.error).__name__) for each in retries], [(1, "RateLimitError"), (2, "BountyConnectionError"), (3, "ServerError")])
        self.assertTrue(7 <= script.slept[0] <= 7.5)
        creating = Script(httpx.ConnectError("broken"))
        with self.assertRaises(bounty.BountyConnectionError):
            creating.client().close_task("t")
        keyed = Script(httpx.ReadError("broken"), httpx.Response(201, json={"id": "s"}))
        keyed.client().quick_submit("t", files={"a": "1"})
        self.assertEqual(keyed.requests[0].headers["Idempotency-Key"], keyed.requests[1].headers["Idempotency-Key"])
        late = Script(refusal(429, "QUOTA", retry_after_seconds=3600))
        with self.assertRaises(bounty.RateLimitError) as caught:
            late.client().get_task("t")
        self.assertEqual(caught.exception.retry_after, 3600)

    def test_reading_is_part_of_an_attempt(self) -> None:
        class BrokenOff(httpx.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                yield b'{"id": '
                raise httpx.ReadError("broken")

        def broken_off() -> httpx.Response:
            return httpx.Response(200, stream=BrokenOff(), headers={"Content-Type": "application/json"})

        not_json = httpx.Response(200, text='{"id": ', headers={"Content-Type": "application/json"})
        sign_in = httpx.Response(200, text="<h1>Sign in</h1>", headers={"Content-Type": "text/html"})
        retries: List[bounty.Retry] = []
        script = Script(broken_off(), not_json, sign_in, httpx.Response(200, json=JUDGED))
        self.assertEqual(script.client(on_retry=retries.append).get_submission("s").status, "completed")
        self.assertEqual([type(each.error).__name__ for each in retries], ["BountyConnectionError"] * 3)
        # A storage service returns nothing for an upload to its own URL.
        stored = Script(httpx.Response(200))
        stored.client().put_artifact("https://storage.test/uploads/a.zip?signature=x", content=b"zip")
        self.assertEqual(len(stored.requests), 1)
        # The platform may have closed the task.
        closing = Script(broken_off())
        with self.assertRaises(bounty.BountyConnectionError):
            closing.client().close_task("t")
        self.assertEqual(len(closing.requests), 1)
        cut = Script(*[broken_off() for _ in range(5)])
        with self.assertRaisesRegex(bounty.BountyConnectionError, "GET https://bounties.test/api/v1/submissions/s failed: broken"):
            cut.client().get_submission("s")

    def test_events_of_webhooks(self) -> None:
        secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZg=="

        def receive(event: Dict[str, Any]) -> Any:
            body = json.dumps(event)
            return bounty.verify_webhook(bounty.sign_webhook(body, secret), body, secret)

        known = receive({"event": "webhook.test", "id": "e", "timestamp": JUDGED["created_at"], "webhook_id": "w", "challenge": "c"})
        self.assertIsInstance(known, bounty.models.WebhookTestEvent)
        newer = receive({"event": "comet.seen", "id": "e", "tail": {"length": 3}})
        self.assertEqual((newer.event, newer.tail), ("comet.seen", {"length": 3}))

    def test_a_proxy_that_cannot_be_used(self) -> None:
        with mock.patch.dict("os.environ", {"ALL_PROXY": "socks5://127.0.0.1:9"}), mock.patch.dict(sys.modules, {"socksio": None}):
            for kind in (BountyClient, AsyncBountyClient):
                with self.assertRaisesRegex(bounty.BountyUsageError, r"Install bounty-platform\[socks\]"):
                    kind(URL)
        with mock.patch.dict("os.environ", {"ALL_PROXY": "gopher://127.0.0.1:9"}), self.assertRaisesRegex(bounty.BountyUsageError, "gopher"):
            BountyClient(URL)

    def test_lists_go_over_pages(self) -> None:
        def page(*titles: str, cursor: Any = None) -> httpx.Response:
            data = [{"id": title, "title": title} for title in titles]
            return httpx.Response(200, json={"data": data, "pagination": {"has_more": cursor is not None, "next_cursor": cursor}})

        script = Script(page("a", "b", cursor="c1"), page("c"))
        tasks = list(script.client().list_tasks(status=["open", "closed"], owner="me"))
        self.assertEqual([task.title for task in tasks], ["a", "b", "c"])
        self.assertEqual(str(script.requests[1].url.query, "ascii"), "owner=me&status=open&status=closed&cursor=c1")
        stuck = Script(page("a", cursor="c1"), page("b", cursor="c1"))
        with self.assertRaisesRegex(bounty.BountyConnectionError, "does not continue"):
            list(stuck.client().list_tasks())

    def test_streams_resume(self) -> None:
        script = Script(
            events("retry: 10\n\n", event("submission", 1, SUBMISSION), ": alive\n\n"),
            httpx.ConnectError("broken"),
            events(event("submission", 2, SUBMISSION), event("terminal", 3, JUDGED)),
        )
        seen = [(each.type, each.id, each.data.status) for each in script.client().stream_submission("s")]
        self.assertEqual(seen, [("submission", "1", "running"), ("submission", "2", "running"), ("terminal", "3", "completed")])
        self.assertEqual([request.headers.get("Last-Event-ID") for request in script.requests], [None, "1", "1"])
        refused = Script(events(f"event: error\ndata: {json.dumps({'error': {'code': 'NOT_FOUND', 'message': 'gone'}})}\n\n"))
        with self.assertRaises(bounty.BountyApiError):
            list(refused.client().stream_submission("s"))

    def test_streams_reconnect_when_the_platform_asks_for_it(self) -> None:
        broken = events("retry: 12000\n", event("submission", 1, SUBMISSION))
        script = Script(broken, httpx.ConnectError("broken"), events(event("terminal", 3, JUDGED)))
        list(script.client().stream_submission("s"))
        self.assertEqual([each >= 12 for each in script.slept], [True, True])
        waiting = Script(broken, httpx.Response(200, json=SUBMISSION), httpx.Response(204), httpx.Response(200, json=JUDGED))
        waiting.client().wait_for_submission("s")
        self.assertEqual([each >= 12 for each in waiting.slept], [True])

    def test_events_in_any_pieces(self) -> None:
        text = "\ufeffid: 7\r\nevent: ä\r\ndata: 1\r\ndata:2\r\n\r\n:c\rretry: 1500\rdata: 3\r\r".encode()
        for size in range(1, len(text)):
            reader = EventReader(None)
            found = [each for at in range(0, len(text), size) for each in reader.feed(text[at : at + size])]
            found += reader.feed(b"\n")
            self.assertEqual([each and (each.type, each.id, each.data) for each in found], [("ä", "7", "1\n2"), None, ("message", "7", "3")])
            self.assertEqual(reader.retry, 1.5)

    def test_waiting(self) -> None:
        script = Script(events(event("submission", 1, SUBMISSION)), httpx.Response(200, json=SUBMISSION), httpx.Response(204), httpx.Response(200, json=JUDGED))
        seen: List[str] = []
        ended = script.client().wait_for_submission("s", on_progress=lambda each: seen.append(each.status))
        self.assertEqual((ended.status, seen), ("completed", ["running", "completed"]))
        polled = Script(*[httpx.Response(502, text="no")] * 2, *[httpx.Response(200, json=SUBMISSION)] * 2, httpx.Response(200, json=JUDGED))
        polled.responses = [httpx.Response(400, text="no streams here"), httpx.Response(200, json=SUBMISSION)] * 2 + [httpx.Response(200, json=JUDGED)]
        self.assertEqual(polled.client().wait_for_submission("s").status, "completed")
        late = Script(*[httpx.Response(200, json=SUBMISSION)] * 9)
        with self.assertRaises(bounty.BountyTimeoutError):
            late.client().wait_for_submission("s", timeout=0.01)
        hanging = Script(*[httpx.ReadTimeout("late")] * 9)
        with self.assertRaises(bounty.BountyTimeoutError):
            hanging.client().wait_for_submission("s", timeout=0.01)
        self.assertLessEqual(len(hanging.requests), 2)
        self.assertTrue(all(each.extensions["timeout"]["read"] <= 1 for each in hanging.requests))

    def test_submitting(self) -> None:
        checked = httpx.Response(200, json={"ok": True, "problems": [], "warnings": [], "files": [], "missing_sections": [], "packed_bytes": 9})
        script = Script(checked, httpx.Response(201, json={"id": "s1"}, headers={"Idempotency-Replayed": "true"}))
        handle = script.client().submit(TASK, {"a.txt": "ä", "b.bin": b"\xff\x00"}, agent_display_name="Ada")
        self.assertEqual((handle.id, handle.is_repeated), ("s1", True))
        body = json.loads(script.requests[1].content)
        self.assertEqual(body, {"files": {"a.txt": "ä", "b.bin": {"content": "/wA=", "encoding": "base64"}}, "agent_display_name": "Ada"})
        self.assertRegex(script.requests[1].headers["Idempotency-Key"], r"^work-[0-9a-f]{64}$")
        problem = {"code": "INVALID_PATH", "path": "../up", "message": "No."}
        refused = Script(httpx.Response(200, json={"ok": False, "problems": [problem, problem], "warnings": [], "files": [], "missing_sections": [], "packed_bytes": None}))
        with self.assertRaisesRegex(bounty.BountyCheckError, r"No. \(1 of 2 problems\)"):
            refused.client().submit(TASK, {"../up": "x"})
        with self.assertRaisesRegex(bounty.BountyUsageError, "SUBMISSION.md"):
            Script().client().submit(TASK, {"a": b"\0" * 6_000_000})

    def test_an_upload_that_breaks_can_be_resumed(self) -> None:
        registered = httpx.Response(201, json={"id": "s1", "upload_url": f"{URL}/api/v1/submissions/s1/artifact?signature=x"})
        script = Script(registered, *[httpx.ConnectError("broken")] * 5)
        with self.assertRaises(bounty.BountyIncompleteError) as caught:
            script.client().submit(TASK, b"PK zip", check=False)
        self.assertEqual(caught.exception.submission_id, "s1")
        self.assertNotIn("Authorization", script.requests[1].headers)
        state = {**SUBMISSION, "status": "registered"}
        again = Script(
            httpx.Response(200, json=state),
            httpx.Response(200, json={"upload_url": f"{URL}/upload"}),
            httpx.Response(200, json={}),
            httpx.ReadError("broken"),
            httpx.Response(200, json={**SUBMISSION, "status": "running"}),
        )
        self.assertEqual(again.client().submit(TASK, b"PK zip", resume="s1").id, "s1")

    def test_registering_solves_a_challenge(self) -> None:
        script = Script(refusal(403, "FORBIDDEN", algorithm="sha256", challenge="c", bits=8), httpx.Response(201, json={"agent_id": "a", "api_key": "k"}))
        script.client().register_anonymous(display_name="Ada")
        body = json.loads(script.requests[1].content)
        self.assertEqual((body["display_name"], body["proof_of_work"]["challenge"]), ("Ada", "c"))

    def test_wrong_use_sends_nothing(self) -> None:
        cases: List[Callable[[], Any]] = [
            lambda: BountyClient("http://bounties.test"),
            lambda: BountyClient("https://me:pw@bounties.test"),
            lambda: BountyClient("bounties.test"),
            lambda: BountyClient(URL, "key\n"),
            lambda: Script().client().get_task(".."),
            lambda: Script().client().get_task(""),
            lambda: Script().client().request("nothing"),
        ]
        for case in cases:
            with self.assertRaises(bounty.BountyUsageError):
                case()
        with self.assertRaisesRegex(bounty.BountyConnectionError, "redirects to https://other"):
            Script(httpx.Response(302, headers={"Location": "https://other"})).client(max_retries=0).get_task("t")

    def test_environment(self) -> None:
        with mock.patch.dict("os.environ", {"BOUNTY_URL": f"{URL}/", "BOUNTY_API_KEY": "svc_sk_env"}):
            client = BountyClient()
            self.assertEqual((client.base_url, client._core.api_key), (URL, "svc_sk_env"))
            self.assertNotIn("svc_sk", repr(client))
            self.assertIsNone(BountyClient("https://other.test")._core.api_key)
        with mock.patch.dict("os.environ", {}, clear=True), self.assertRaisesRegex(bounty.BountyUsageError, "BOUNTY_URL"):
            BountyClient()

    def test_asynchronous(self) -> None:
        script = Script(
            httpx.Response(200, json={"data": [{"id": "a", "title": "a"}], "pagination": {"has_more": False, "next_cursor": None}}),
            events(event("submission", 1, SUBMISSION), event("terminal", 2, JUDGED)),
            events(event("submission", 1, SUBMISSION), event("terminal", 2, JUDGED)),
            httpx.Response(200, json=JUDGED),
            refusal(429, "RATE_LIMITED", headers={"Retry-After": "0"}),
            httpx.Response(200, json=JUDGED),
        )

        async def talk() -> None:
            http = httpx.AsyncClient(transport=httpx.MockTransport(script.handle))
            async with AsyncBountyClient(URL, "svc_sk_test", http_client=http) as client:
                self.assertEqual([task.title async for task in client.list_tasks()], ["a"])
                self.assertEqual([each.type async for each in client.stream_submission("s")], ["submission", "terminal"])
                self.assertEqual((await client.submission("s").wait(timeout=60)).status, "completed")
                self.assertEqual((await client.get_submission("s")).status, "completed")

        asyncio.run(talk())


class Tools(unittest.TestCase):
    def test_functions_tell_what_went_wrong(self) -> None:
        functions = BountyTools(Script(refusal(404, "NOT_FOUND")).client(), ".").functions()
        names = [function.__name__ for function in functions]
        self.assertEqual(names[0], "find_bounties")
        self.assertTrue(all(function.__doc__ for function in functions))
        by_name = dict(zip(names, functions))
        self.assertIn("Error: NOT_FOUND", by_name["read_bounty"]("t"))
        self.assertIn("not inside the folder", by_name["submit_folder"]("t", "../.."))

    def test_folders_of_a_model(self) -> None:
        submit = BountyTools(Script().client(), ".").submit_folder
        for folder in ("../..", "a\0b"):
            with self.assertRaisesRegex(bounty.BountyUsageError, "not inside the folder"):
                submit("t", folder)
        # A container may keep the work at its root.
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(bounty.BountyUsageError, "no files"):
                BountyTools(Script().client(), os.sep).submit_folder("t", folder)

    def test_attachments_stay_out_of_the_work(self) -> None:
        hostile = ["../x", "/etc/x", "C:\\x", "a\0b", "a\nb\u202ec", ".bountyignore", ".git", "conftest.py"]
        hostile += ["NUL", "LPT1 .txt", "..", "漢" * 300 + ".csv"]
        with tempfile.TemporaryDirectory() as folder:
            for number, filename in enumerate(hostile):
                attachment = {"id": "a", "field": "description", "filename": filename, "file_size": 2, "content_type": "image/png"}
                listed = [{**attachment, "description": None, "download_url": f"{URL}/content", "created_at": "2026-12-02T10:00:41.000Z"}]
                script = Script(httpx.Response(200, json=listed), httpx.Response(200, content=b"\xff\xfe"))
                read = {each.__name__: each for each in BountyTools(script.client(), folder).functions()}["read_attachment"]
                saved = read("t", "a")
                self.assertRegex(saved, r"\ASaved as attachments/[^\W.][^/\x00-\x1f\\]*\.\Z", filename)
                self.assertEqual((os.listdir(folder), len(os.listdir(os.path.join(folder, "attachments")))), (["attachments"], number + 1))
            names = os.listdir(os.path.join(folder, "attachments"))
            self.assertTrue({"_x", "bountyignore", "git", "conftest.py", "_NUL", "_LPT1 .txt", "file"} <= set(names), names)
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as outside:
            os.symlink(outside, os.path.join(folder, "attachments"))
            script = Script(httpx.Response(200, json=listed), httpx.Response(200, content=b"\xff\xfe"))
            read = {each.__name__: each for each in BountyTools(script.client(), folder).functions()}["read_attachment"]
            self.assertIn("not inside the folder", read("t", "a"))
            self.assertEqual(os.listdir(outside), [])

    def test_frameworks_get_all_of_them(self) -> None:
        """Replaces the frameworks, which are not installed where the tests run."""
        core, crewai, agents = types.ModuleType("langchain_core.tools"), types.ModuleType("crewai.tools"), types.ModuleType("agents")
        core.StructuredTool = types.SimpleNamespace(from_function=lambda function: ("langchain", function.__name__))  # type: ignore[attr-defined]
        crewai.tool = lambda name: lambda function: ("crewai", name)  # type: ignore[attr-defined]
        agents.function_tool = lambda function: ("agents", function.__name__)  # type: ignore[attr-defined]
        modules = {"langchain_core": types.ModuleType("langchain_core"), "langchain_core.tools": core, "crewai": types.ModuleType("crewai")}
        with mock.patch.dict(sys.modules, {**modules, "crewai.tools": crewai, "agents": agents}):
            for make, name in ((langchain_tools, "langchain"), (crewai_tools, "crewai"), (openai_agents_tools, "agents")):
                tools = make(Script().client())
                self.assertEqual((len(tools), tools[0]), (8, (name, "find_bounties")))


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
