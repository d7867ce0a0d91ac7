// Tests tasks and leaderboards without a key: what they show and hide, and what a popular one costs.
import { beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { type Client, contractOf, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { readBoardRows } from "../support/house.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { measure } from "../support/use.ts";

const nobody = createClient();
const UNKNOWN_ID = "01900000-0000-7000-8000-000000000000";
const at = (id: string, query: Readonly<Record<string, string | number>> = {}) => ({ params: { id }, query });

let poster: RegisteredClient;
let agents: readonly RegisteredClient[];
/** This task has three entries. */
let contestId: string;

beforeAll(async () => {
	poster = await registerAgent("Acme");
	agents = await Promise.all(["Ada", "Ben", "Cleo"].map((name) => registerAgent(name)));
	contestId = await openTask(poster, { category: "contest" });
	for (const agent of agents) await awaitEvaluation(agent, (await submit(agent, contestId)).id);
});

describe("GET /api/public/tasks/{id}", () => {
	it("shows what competitors see of the task and who posted it, without the poster's id", async () => {
		const id = await openTask(poster, { input_spec: "CSV", max_submissions_per_agent: 3 });
		const agent = await registerAgent();
		await expect.poll(async () => (await agent.call("getTask", at(id))).judge_check?.status, { timeout: 20_000 }).not.toBe("running");
		const seen = await agent.call("getTask", at(id));
		const task = await nobody.call("getPublicTask", at(id));
		expect(task).toEqual({
			...{ id, title: seen.title, description: seen.description, category: seen.category, deadline: seen.deadline },
			...{ budget_cents: seen.budget_cents, winner_gets_cents: seen.winner_gets_cents, ended_at: null, questions: seen.questions },
			...{ eval_mode: seen.eval_mode, status: "open", created_at: seen.created_at },
			...{ input_spec: "CSV", output_spec: "", criteria: seen.criteria, competitor_count: 0, max_submissions_per_agent: 3 },
			...{ test_weight: 0, llm_weight: 100, poster_name: "Acme", judge_check: seen.judge_check },
			...{ deadline_history: seen.deadline_history, sealed: false, task_sha256: seen.task_sha256 },
			...{ test_suite_sha256: null, eval_image_digest: null, judged_attachments: [], waiting_for: null, test: false },
		});
		expect(task.criteria.map(({ name }) => name)).toEqual(["Parser", "Tests"]);
		expect(task.deadline_history).toEqual([{ at: expect.any(String), deadline: task.deadline }]);
		expect(JSON.stringify(task)).not.toContain(poster.agentId);
	});

	it("counts competitors, and shows the poster's current name", async () => {
		const renamed = await registerAgent("Before");
		const id = await openTask(renamed);
		await renamed.call("updateProfile", { body: { display_name: "After" } });
		expect(await nobody.call("getPublicTask", at(id))).toMatchObject({ competitor_count: 0, poster_name: "After" });
		expect(await nobody.call("getPublicTask", at(contestId))).toMatchObject({ competitor_count: 3 });
	});

	it("hides drafts, also from their owner, and shows a task from publishing on and after its end", async () => {
		const { id } = await createDraft(poster);
		for (const contract of ["getPublicTask", "getPublicLeaderboard"] as const) {
			await nobody.refused(contract, "NOT_FOUND", at(id));
			await poster.refused(contract, "NOT_FOUND", at(id));
			await nobody.refused(contract, "NOT_FOUND", at(UNKNOWN_ID));
		}
		await poster.call("publishTask", at(id));
		expect(await nobody.call("getPublicTask", at(id))).toMatchObject({ id, status: "open" });
		const closedId = await openTask(poster);
		await poster.call("closeTask", at(closedId));
		expect(await nobody.call("getPublicTask", at(closedId))).toMatchObject({ status: "closed" });
	});
});

describe("GET /api/public/tasks/{id}/leaderboard", () => {
	it("shows the ranks without anything that identifies the agents", async () => {
		const board = await nobody.call("getPublicLeaderboard", at(contestId));
		const { me: _, isOwner: _owner, entries, ...rest } = await poster.call("getLeaderboard", at(contestId));
		expect(board).toEqual({ ...rest, entries: entries.map(({ submissionId: _id, isMe: _me, ...entry }) => entry) });
		expect(board.entries.map(({ rank }) => rank)).toEqual([1, 2, 3]);
		for (const { agentName } of board.entries) expect(agentName).toMatch(/^Competitor /);
	});

	it("has pages with opaque cursors, and the pages are the same each time", async () => {
		const seen: number[] = [];
		let cursor: string | null = null;
		do {
			const query: Record<string, string | number> = { limit: 1, ...(cursor === null ? {} : { cursor }) };
			const page: { entries: { rank: number }[]; next_cursor: string | null } = await nobody.call(
				"getPublicLeaderboard",
				at(contestId, query),
			);
			const again = await nobody.call("getPublicLeaderboard", at(contestId, query));
			expect(again).toEqual(page);
			seen.push(...page.entries.map(({ rank }) => rank));
			cursor = page.next_cursor;
			if (cursor !== null) await expectOpaque(cursor);
		} while (cursor !== null);
		expect(seen).toEqual([1, 2, 3]);
	});

	/** Expects that neither the text nor its bytes contain a submission's id, a score or a time. */
	async function expectOpaque(cursor: string): Promise<void> {
		expect(cursor).toMatch(/^[\w-]+$/);
		const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url" });
		const text = `${cursor} ${new TextDecoder().decode(bytes)} ${bytes.toHex()}`.toLowerCase();
		const results = await readBoardRows(contestId);
		expect(results).toHaveLength(3);
		for (const { submission_id, rank_key, achieved_at } of results) {
			const secrets = [
				submission_id,
				submission_id.replaceAll("-", ""),
				rank_key.slice(1, 16),
				String(achieved_at),
				achieved_at.toString(16),
			];
			expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
		}
	}

	it("refuses a cursor that was changed anywhere, of another task, or of the list with a key", async () => {
		const { next_cursor } = await nobody.call("getPublicLeaderboard", at(contestId, { limit: 1 }));
		const cursor = next_cursor ?? "";
		const changes = Array.from(
			cursor,
			(character, place) => cursor.slice(0, place) + (character === "A" ? "B" : "A") + cursor.slice(place + 1),
		);
		const ofKeyed = (await poster.call("getLeaderboard", at(contestId, { limit: 1 }))).next_cursor ?? "";
		for (const changed of [...changes, cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ofKeyed]) {
			await nobody.refused("getPublicLeaderboard", "VALIDATION_ERROR", at(contestId, { limit: 1, cursor: changed }));
		}
		await nobody.refused("getPublicLeaderboard", "VALIDATION_ERROR", at(await openTask(poster), { limit: 1, cursor }));
		await poster.refused("getLeaderboard", "VALIDATION_ERROR", at(contestId, { limit: 1, cursor }));
	});
});

const CACHED = [
	"getPublicTask",
	"getPublicLeaderboard",
	"getPublicHistory",
	"listPublicQuestions",
	"getPublicAgent",
	"getRssFeed",
] as const;

describe.each(CACHED)("%s", (operation) => {
	const contract = contractOf(operation);
	const inputOf = (taskId: string) => {
		const id = operation === "getPublicAgent" ? poster.agentId : taskId;
		return contract.path.includes("{id}") ? { params: { id } } : { query: { category: `cached-${id}` } };
	};

	it("costs one call to the database or to the task's object, and writes nothing", async () => {
		const id = await openTask(poster);
		const use = await measure(() => nobody.send(operation, inputOf(id)));
		// The name of a task's poster is not in the task's object.
		const calls = operation === "getPublicTask" ? 2 : 1;
		expect({ calls: use.d1_calls + use.object_calls, written: use.d1_rows_written }).toEqual({ calls, written: 0 });
	});

	it("has an ETag, 304, open CORS, and nothing of the request that caused it", async () => {
		const id = await openTask(poster);
		const first = await nobody.send(operation, inputOf(id));
		const version = first.headers.get("ETag") ?? "";
		expect(version).toMatch(/^"[^"]+"$/);
		expect(Object.fromEntries(first.headers)).toMatchObject({
			"cache-control": "public, max-age=5",
			"access-control-allow-origin": "*",
			"x-content-type-options": "nosniff",
		});
		expect(first.headers.get("X-D1-Bookmark")).toBeNull();
		const same = await nobody.send(operation, { ...inputOf(id), headers: { "If-None-Match": version } });
		expect({ status: same.status, body: await same.text(), version: same.headers.get("ETag") }).toEqual({ status: 304, body: "", version });
		expect(same.headers.get("Cache-Control")).toBe("public, max-age=5");
		expect(same.headers.get("Access-Control-Allow-Origin")).toBe("*");
		const head = await nobody.send({ ...contract, method: "HEAD" as "get" }, inputOf(id));
		expect({ status: head.status, body: await head.text(), version: head.headers.get("ETag") }).toEqual({ status: 200, body: "", version });
	});
});

describe("public reading", () => {
	it("shows hidden names as soon as they are revealed", async () => {
		const { id } = await createDraft(poster);
		const { headers } = await nobody.refused("getPublicTask", "NOT_FOUND", at(id));
		expect(headers.get("Cache-Control")).toBe("no-store");
		await poster.call("publishTask", at(id));
		expect(await nobody.call("getPublicTask", at(id))).toMatchObject({ id });
	});

	it("names the deployment's own origin", async () => {
		const app = createApp(() => testDeps({ config: { ...testDeps().config, publicUrl: "https://elsewhere.example" } }));
		const feedOf = async (client: Client) => (await client.send("getRssFeed", { query: { category: "contest" } })).text();
		expect(await feedOf(nobody)).toContain('"https://bounty.test/feeds/tasks.xml?category=contest"');
		const elsewhere = createClient({ fetch: (request) => app.fetch(request) });
		expect(await feedOf(elsewhere)).toContain('"https://elsewhere.example/feeds/tasks.xml?category=contest"');
	});
});
