// Tests the signatures by which similar submissions are found: when they are stored, and what comparing them costs.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { recordFindings } from "../../../src/core/competition/evaluation/outcome.ts";
import { readWorks } from "../../../src/extensions/similarity/compared-works.ts";
import { findPairs } from "../../../src/extensions/similarity/pairs.ts";
import { COPY_FROM } from "../../../src/extensions/similarity/rules.ts";
import { signArtifact, toComparable } from "../../../src/extensions/similarity/signed-work.ts";
import { watchBucket } from "../../support/buckets.ts";
import { testDeps } from "../../support/deps.ts";
import { createExternalTask, receiver } from "../../support/external-judging.ts";
import { awaitEvaluation, openTask, type RegisteredClient, registerAgent, submit } from "../../support/scenario.ts";
import { inTask, queryTask } from "../../support/task-object.ts";
import { measure } from "../../support/use.ts";
import { createWorld } from "../../support/world.ts";

const QUEUE = "bounty-platform-evaluation";
const [poster, ada, bob] = await Promise.all([registerAgent("Poster"), registerAgent("Ada"), registerAgent("Bob")]);

/** Returns files of a parser whose names follow from a word. */
function workOf(word: string): Record<string, string> {
	const body = Array.from(
		{ length: 40 },
		(_, index) =>
			`export function ${word}${index}(text) {\n\tconst ${word}Rows = text.split("${word}${index * 3}");\n\treturn ${word}Rows.map((row) => row.${word}(${index}));\n}`,
	).join("\n");
	return { "SUBMISSION.md": `# What I Built\nA ${word} parser.\n# How To Run\nnode ${word}.js\n`, "main.js": body };
}

/** Submits, waits for the score, and returns the submission's id. */
async function evaluated(agent: RegisteredClient, taskId: string, files: Record<string, string>): Promise<string> {
	const { id } = await submit(agent, taskId, files);
	await awaitEvaluation(agent, id);
	return id;
}

describe("a signature", () => {
	it("is also stored for an external judge, however early its score comes", async () => {
		const external = await createExternalTask({ max_submissions_per_agent: 25 });
		const [judged, early, uploaded] = [await external.submit(), await external.submit(), await external.upload()];
		await external.world.deliver(QUEUE, [external.world.tasks.sent.at(0)?.message], { fetch: receiver().fetch, random: () => 0 });
		for (const id of [judged, early, uploaded]) await external.post(id);
		for (const id of [judged, early, uploaded]) expect(await signaturesOf(external.taskId, id)).toBe(1);
	});

	it("is stored once, and survives a storage that fails at first", async () => {
		const world = createWorld();
		const taskId = await world.openTask(poster);
		const { id } = await world.submit(ada, taskId);
		const broken = watchBucket({
			before: (call) => {
				if (call === "get") throw new Error("R2 is away.");
			},
		});
		await world.deliver(QUEUE, [{ taskId }], { bucket: broken.bucket });
		expect(await signaturesOf(taskId, id)).toBe(0);
		world.clock.advance(600_000);
		await world.deliver(QUEUE, [{ taskId }]);
		expect((await ada.call("getSubmission", { params: { id } })).evaluated).toBe(true);
		expect(await signaturesOf(taskId, id)).toBe(1);
	});

	it("is stored for files that are made to be expensive, and the submission is judged", async () => {
		const taskId = await openTask(poster);
		const hostile: Record<string, string> = {
			"line.js": "x".repeat(4_000_000),
			"line-too-long-to-read.js": "x".repeat(5_000_000),
			"letters.txt": "a b ".repeat(500_000),
			"openers.c": "/*".repeat(500_000),
			"page.html": "<!--".repeat(200_000),
		};
		for (const [path, text] of Object.entries(hostile)) {
			const { id } = await submit(bob, taskId, { [path]: text });
			expect((await awaitEvaluation(bob, id)).evaluated).toBe(true);
			expect(await signaturesOf(taskId, id)).toBe(1);
		}
	});

	it("of an artifact that is not a zip or is gone matches only equal bytes", async () => {
		const taskId = await openTask(poster);
		const [first, second, third] = await Promise.all([1, 2, 3].map(() => evaluated(ada, taskId, workOf("alpha"))));
		await env.BUCKET.put("artifacts/broken", "not a zip");
		const sign = (id = "", artifactKey: string, artifactSha256: string) => signAs(taskId, { id, artifactKey, artifactSha256 });
		await sign(first, "artifacts/broken", "1".repeat(64));
		await sign(second, "artifacts/gone", "2".repeat(64));
		await sign(third, "artifacts/gone", "2".repeat(64));
		const by = poster.agentId;
		const { works: read } = await inTask(taskId, (task) => readWorks.run(task, { by, known: null }));
		const works = (read ?? []).map(toComparable);
		const alike = findPairs(works, COPY_FROM).map((pair) => [works[pair.first]?.artifactSha256, works[pair.second]?.artifactSha256]);
		expect(alike).toEqual([["2".repeat(64), "2".repeat(64)]]);
	});
});

describe("a task with 10,000 submissions", () => {
	it("is compared with one call besides the key's lookup, and a limited number of rows", async () => {
		const taskId = await openTask(poster);
		const sample = await evaluated(ada, taskId, workOf("alpha"));
		await seedSignatures(taskId);
		const use = await measure(() => poster.send("listReviews", { params: { id: taskId } }));
		expect(use).toMatchObject({ status: 200, d1_rows_written: 0 });
		expect(use.d1_calls).toBeLessThanOrEqual(2);
		expect(use.d1_rows_read).toBeLessThanOrEqual(10_010);
		expect(await signaturesOf(taskId, sample)).toBe(1);
	});
});

async function signaturesOf(taskId: string, submissionId: string): Promise<number> {
	return (await queryTask(taskId, "select 1 from signatures where submission_id = ?", submissionId)).length;
}

interface Signed {
	readonly id: string;
	readonly artifactKey: string;
	readonly artifactSha256: string;
}

/** Signs another artifact instead of the submission's own. */
async function signAs(taskId: string, { id, artifactKey, artifactSha256 }: Signed): Promise<void> {
	const signature = await signArtifact(testDeps(), artifactKey, { isCandidate: true });
	await inTask(taskId, (task) => recordFindings(task, { id }, { artifactSha256, inspected: { similarity: signature } }));
}

/** Stores signatures that share no band, because their minima are random, except for one copy. */
async function seedSignatures(taskId: string): Promise<void> {
	const columns = "submission_id, agent_id, artifact_sha256, accepted_at, shingles, minima";
	await queryTask(
		taskId,
		`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10100)
		insert into signatures (${columns}) select printf('01900000-0000-7000-8000-%012x', i), 'agent-' || (i % 500), null, i, 32,
			hex(randomblob(171)) || 'AA' from n`,
	);
	await queryTask(
		taskId,
		`insert into signatures (${columns}) select replace(submission_id, '7000-8000', '7000-9000'), 'copier', null, 20000, shingles, minima
		from signatures where submission_id = '01900000-0000-7000-8000-000000002700'`,
	);
}
