// An issue of GitHub becomes one task, by the Action and by the command line, on a whole platform and a stub of GitHub's API.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runAction } from "../support/action.ts";
import { startCheckingProxy } from "../support/checking-proxy.ts";
import { runCli } from "../support/cli.ts";
import { readClosedDocument } from "../support/closed-document.ts";
import { type StubGitHub, startGitHub } from "../support/github.ts";
import { type HttpCaller, registerCaller } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const TIMEOUT_MS = 300_000;
const BLOCK =
	"```bounty\nbudget_cents: 70000\ndeadline: 14d\ncategory: csv\ncriteria:\n  - { name: Quotes, description: quotes, weight: 100 }\n```\n";

interface Task {
	readonly id: string;
	readonly title: string;
	readonly status: string;
	readonly description: string | null;
	readonly budget_cents: number;
}

let server: RunningServer;
let proxy: Awaited<ReturnType<typeof startCheckingProxy>>;
let github: StubGitHub;
let poster: HttpCaller;
let folder = "";
let lastId = 0;

beforeAll(async () => {
	server = await startServer();
	proxy = await startCheckingProxy(readClosedDocument(), server.url);
}, TIMEOUT_MS);
afterAll(async () => {
	await proxy?.stop();
	await server?.close();
});
beforeEach(async () => {
	proxy.changeAddress();
	poster = await registerCaller(server);
	github = await startGitHub({ prefix: "/api/v3" });
	github.permissions.set("ada", "write");
	folder = await mkdtemp(join(tmpdir(), "issues-"));
});
afterEach(async () => {
	await github.stop();
	await rm(folder, { recursive: true, force: true });
});

/** Makes an issue of the stub, with an id of its own. */
function makeIssue(change: Readonly<Record<string, unknown>> = {}) {
	lastId += 1;
	const issue = {
		id: lastId,
		number: 7,
		title: "Parse CSV",
		body: `${BLOCK}Quotes too.`,
		html_url: `${github.url}/ada/work/issues/7`,
		...change,
	};
	github.issues.set("ada/work/issues/7", issue);
	return issue;
}

interface Event {
	readonly name?: string;
	readonly action?: string;
	readonly label?: string;
	readonly sender?: string;
	/** True to run the bundle in a process of its own, which takes a second longer. */
	readonly isProcess?: boolean;
	readonly inputs?: Readonly<Record<string, string>>;
}

/** Runs the Action for an event about the issue. */
async function label(
	issue: object,
	{ name = "issues", action = "labeled", label: text = "bounty", sender = "ada", isProcess = false, inputs = {} }: Event = {},
) {
	const path = join(folder, `${crypto.randomUUID()}.json`);
	await writeFile(path, JSON.stringify({ action, issue, label: { name: text }, sender: { login: sender } }));
	return runAction({
		workspace: folder,
		isInside: !isProcess,
		inputs: { mode: "post", url: proxy.url, "api-key": poster.key, "github-token": "ghs_job", ...inputs },
		env: {
			GITHUB_EVENT_NAME: name,
			GITHUB_EVENT_PATH: path,
			GITHUB_API_URL: `${github.url}/api/v3`,
			GITHUB_SERVER_URL: github.url,
			GITHUB_GRAPHQL_URL: `${github.url}/api/graphql`,
		},
	});
}

/** Runs `bounty post --from-issue`. */
async function post(...args: readonly string[]) {
	const env = { BOUNTY_URL: proxy.url, BOUNTY_API_KEY: poster.key, GITHUB_SERVER_URL: github.url, GITHUB_TOKEN: "ghp_own" };
	return runCli(["post", "--from-issue", "ada/work#7", ...args, "--json"], { env });
}

async function tasks(): Promise<Task[]> {
	const { data } = await poster.call<{ data: Task[] }>("GET", "/api/v1/tasks?owner=me&limit=100");
	return data;
}

const read = (id: string) => poster.call<Task & Record<string, unknown>>("GET", `/api/v1/tasks/${id}`);

describe("the Action", () => {
	it(
		"makes the issue a draft that follows it, and tells so in one comment",
		async () => {
			const issue = makeIssue();
			const first = await label(issue);
			const [task] = await tasks();
			expect(first).toMatchObject({
				code: 0,
				outputs: { "task-id": task?.id, "task-url": `${proxy.url}/console/tasks/${task?.id}`, status: "draft", outcome: "created" },
			});
			expect(await read(task?.id ?? "")).toMatchObject({
				title: "Parse CSV",
				budget_cents: 70_000,
				category: "csv",
				description: "Quotes too.",
			});
			expect((await label(issue)).outputs).toMatchObject({ "task-id": task?.id, outcome: "unchanged" });
			const edited = await label({ ...issue, title: "Parse TSV", body: `${BLOCK}Tabs.` }, { inputs: { "budget-cents": "80000" } });
			expect(edited.outputs).toMatchObject({ "task-id": task?.id, outcome: "updated" });
			expect(await tasks()).toMatchObject([{ id: task?.id, title: "Parse TSV", budget_cents: 80_000 }]);
			expect((await read(task?.id ?? "")).description).toBe("Tabs.");
			expect(github.comments).toHaveLength(1);
			expect(github.comments[0]?.body).toMatch(
				new RegExp(`^<!-- bounty-platform issue=127\\.0\\.0\\.1:\\d+/${issue.id} -->\n## Bounty: draft`),
			);
			expect(github.comments[0]?.body).toContain(`[Parse TSV](${proxy.url}/console/tasks/${task?.id})`);
			expect([...github.tokens]).toEqual(["Bearer ghs_job"]);
			// A deleted draft makes room for a new one.
			await poster.call("DELETE", `/api/v1/tasks/${task?.id}`);
			const again = await label(issue);
			expect(again.outputs).toMatchObject({ outcome: "created" });
			expect(again.outputs["task-id"]).not.toBe(task?.id);
			expect(github.comments).toHaveLength(1);
		},
		TIMEOUT_MS,
	);

	it(
		"publishes on request, and says that a published task stays as it is",
		async () => {
			const issue = makeIssue();
			const first = await label(issue, { inputs: { publish: "true" } });
			const id = first.outputs["task-id"] ?? "";
			expect(first.outputs).toMatchObject({ status: "open", outcome: "created", "task-url": `${proxy.url}/tasks/${id}` });
			expect((await label(issue, { inputs: { publish: "true" } })).outputs).toMatchObject({
				"task-id": id,
				outcome: "unchanged",
				status: "open",
			});
			const edited = await label({ ...issue, body: `${BLOCK}Now for less.` }, { inputs: { publish: "true" } });
			expect(edited).toMatchObject({ code: 0, outputs: { "task-id": id, outcome: "kept" }, log: expect.stringContaining("::warning::") });
			expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining("A published task cannot be changed")]);
			expect((await read(id)).description).toBe("Quotes too.");
			expect(await tasks()).toHaveLength(1);
		},
		TIMEOUT_MS,
	);

	it(
		"uses the text of the event, and not what the issue says when it runs",
		async () => {
			const issue = makeIssue();
			makeIssue({ id: issue.id, body: `${BLOCK.replace("70000", "900000")}Pay me.` });
			await label(issue);
			expect(await tasks()).toMatchObject([{ budget_cents: 70_000 }]);
			expect(github.calls.filter((call) => call === "GET /repos/ada/work/issues/7")).toEqual([]);
		},
		TIMEOUT_MS,
	);

	it(
		"posts nothing for who may not write, for another event or label, and for terms that an issue cannot set",
		async () => {
			const issue = makeIssue();
			for (const permission of ["read", "triage", "none", "admin-like"]) {
				github.permissions.set("eve", permission);
				const denied = await label(issue, { sender: "eve" });
				expect(denied).toMatchObject({
					code: 3,
					log: expect.stringContaining(`eve set the label, but has only the permission ${permission}`),
				});
			}
			expect((await label(issue, { sender: "app[bot]" })).code).toBe(3);
			expect((await label(issue, { sender: "../../user" })).code).toBe(3);
			github.failures.set("GET /repos/ada/work/collaborators", 502);
			expect(await label(issue)).toMatchObject({ code: 9, log: expect.stringContaining("GitHub failed with status 502") });
			github.failures.clear();
			expect(await label(issue, { label: "bug" })).toMatchObject({ code: 0, outputs: { "task-id": "", outcome: "" } });
			for (const event of [{ action: "unlabeled" }, { action: "opened" }, { name: "pull_request_target" }, { name: "issue_comment" }])
				expect(await label(issue, event)).toMatchObject({
					code: 2,
					log: expect.stringContaining("the workflow must start when an issue gets a label"),
				});
			for (const body of ["```bounty\neval_image: evil/judge\n```", "```bounty\naccess: invited\n```", "No terms"]) {
				const wrong = await label({ ...issue, body });
				expect(wrong).toMatchObject({ code: 2, log: expect.stringMatching(/It can set: budget_cents|does not say budget_cents/) });
			}
			for (const inputs of [{ "budget-cents": "1e9" }, { sealed: "yes" }, { "github-token": "" }, { deadline: "soon" }])
				expect((await label(issue, { inputs })).code).toBe(2);
			const cheap = await label(issue, { inputs: { "budget-cents": "1" } });
			expect(cheap).toMatchObject({ code: 5, log: expect.stringContaining("budget_cents: ") });
			expect(await tasks()).toEqual([]);
			expect(github.comments).toEqual([]);
			// A rejected run leaves nothing that stops the next one.
			expect((await label(issue, { label: "Bounty" })).outputs).toMatchObject({ outcome: "created" });
		},
		TIMEOUT_MS,
	);

	it(
		"puts no command in the log and no markup in the comment, for any text of the issue",
		async () => {
			const evil = "a\n::error::b ##[add-path]x <img src=x> @all [l](http://x) \u001b[2J\u202e";
			const yaml = `criteria:\n  - { name: ${JSON.stringify(evil.replace(/\p{Cc}|\u202e/gu, " "))}, weight: 100 }`;
			const { code, log, summary } = await label(makeIssue({ title: evil, body: `\`\`\`bounty\n${yaml}\n\`\`\`\n${evil}` }), {
				inputs: { "budget-cents": "50000", deadline: "3d" },
			});
			expect(code).toBe(0);
			expect(log.split(/[\r\n]+/).filter((line) => /^\s*::|##\[/.test(line))).toEqual([expect.stringMatching(/^::add-mask::/)]);
			for (const text of [summary, github.comments[0]?.body ?? ""])
				for (const part of ["<img", "@all", "](http://x)", "\u001b", "\u202e"]) expect(text).not.toContain(part);
			expect(await tasks()).toMatchObject([{ title: "a ::error::b ##[add-path]x <img src=x> @all [l](http://x) [2J" }]);
		},
		TIMEOUT_MS,
	);

	it(
		"makes one task when runs are parallel, of one text and of many, and together with the command line",
		async () => {
			const issue = makeIssue();
			const inputs = { publish: "true", comment: "false" };
			const same = await Promise.all([
				...Array.from({ length: 4 }, () => label(issue, { inputs, isProcess: true })),
				post("--publish", "--yes"),
			]);
			expect(same.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
			expect(await tasks()).toMatchObject([{ status: "open" }]);
			const other = makeIssue({ title: "Another" });
			const texts = await Promise.all(
				Array.from({ length: 5 }, (_, index) => label({ ...other, body: `${BLOCK}Text ${index}.` }, { inputs: { comment: "false" } })),
			);
			expect(texts.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
			expect(new Set(texts.map(({ outputs }) => outputs["task-id"])).size).toBe(1);
			expect(await tasks()).toHaveLength(2);
		},
		TIMEOUT_MS,
	);
});

describe("the command line", () => {
	it(
		"posts the issue that the Action posts, with its own options",
		async () => {
			const issue = makeIssue();
			const posted = JSON.parse((await post("--category", "tsv", "--final-round")).stdout);
			expect(posted).toMatchObject({
				outcome: "created",
				created: true,
				published: false,
				task: { category: "tsv", budget_cents: 70_000 },
			});
			expect([...github.tokens]).toEqual(["Bearer ghp_own"]);
			expect((await label(issue)).outputs).toMatchObject({ "task-id": posted.task.id, outcome: "updated" });
			expect(await post("--publish")).toMatchObject({ code: 10 });
			const open = JSON.parse((await post("--publish", "--yes")).stdout);
			expect(open).toMatchObject({ outcome: "unchanged", published: true, task: { id: posted.task.id, status: "open" } });
			const kept = await post("--budget-cents", "90000");
			expect(JSON.parse(kept.stdout)).toMatchObject({
				outcome: "kept",
				published: false,
				task: { id: posted.task.id, budget_cents: 70_000 },
			});
			expect(kept).toMatchObject({ code: 0, stderr: expect.stringContaining("stays as it is") });
			expect(await tasks()).toHaveLength(1);
		},
		TIMEOUT_MS,
	);

	it(
		"takes up a claim that a run has left behind, also one that has become invalid",
		async () => {
			const issue = makeIssue();
			const key = encodeURIComponent(`issues/${new URL(github.url).host}/${issue.id}`);
			const request = { title: "Left behind", budget_cents: 60_000, deadline: new Date(Date.now() + 3 * 86_400_000).toISOString() };
			const claim = { task_id: null, digest: "0".repeat(64), previous: "", request };
			await poster.call("PUT", `/api/v1/workspace/kv/${key}`, { value: claim });
			expect(JSON.parse((await post()).stdout)).toMatchObject({ outcome: "updated", task: { title: "Parse CSV" } });
			expect(await tasks()).toHaveLength(1);
			for (const value of [{ ...claim, request: { ...request, deadline: "2020-01-01T00:00:00Z" } }, { task_id: 1 }, "garbage"]) {
				const next = makeIssue();
				const other = encodeURIComponent(`issues/${new URL(github.url).host}/${next.id}`);
				await poster.call("PUT", `/api/v1/workspace/kv/${other}`, { value });
				expect(JSON.parse((await post()).stdout)).toMatchObject({ outcome: "created" });
			}
			expect(await tasks()).toHaveLength(4);
		},
		TIMEOUT_MS,
	);
});

it("all of them get the responses that docs/openapi.json describes", () => {
	expect(proxy.faults()).toEqual([]);
	expect(proxy.counts().responses).toBeGreaterThan(20);
});
