// Judging files that do not compete leaves no trace in other responses or in tables other than its own.

import { expect, it } from "vitest";
import type { EndpointContract } from "../../../src/http/endpoint.ts";
import { endpoints, operations } from "../../support/app.ts";
import { type CallInput, type Client, createClient } from "../../support/client.ts";
import { createDraft, GOOD_FILES, registerAgent } from "../../support/scenario.ts";
import { snapshotStorage } from "../../support/storage.ts";
import { snapshotTask } from "../../support/task-object.ts";
import { createTrialWorld } from "../../support/trials.ts";

const LABEL = "Zorbian-label";
/** These endpoints return the results of trials. */
const OWN = ["getDryRun", "listDryRuns", "downloadTrialArtifact"];
/** The owner sees the cost of judging, and everyone sees the judge check. Marks of commits do not say what was committed. */
const OWN_TABLES = ["located_cards", "usage_cards", "commit_marks", "bucket"];
/** These are the same tables in the object of the task. */
const OWN_TABLES_OF_TASK = ["trials", "jobs", "usage", "reports"];

/** These are the reads that anyone can make, without pages of the documentation and without streams, which show the same as the reads. */
const reads = endpoints
	.filter(({ method, auth, path, operationId }) => {
		return (
			method === "get" &&
			["key", "none"].includes(auth) &&
			path.startsWith("/api/") &&
			!path.includes("/docs") &&
			!OWN.includes(operationId)
		);
	})
	.filter(({ path }) => !path.endsWith("stream"));

/** The keys are the text before the id in a path. */
type Ids = Readonly<Record<string, string>>;

/** Returns every read about the task, its submission and its parties, as text by operation. */
async function readAll(client: Client, ids: Ids): Promise<Record<string, string>> {
	const inputOf = ({ path, params }: EndpointContract): CallInput => {
		const kind = /\/([\w-]+)\/\{\w+\}/.exec(path)?.[1] ?? "";
		const id = ids[kind] ?? ids["tasks"] ?? "";
		return {
			params: Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, id])),
			query: path === operations.searchTasks.path ? { query: "zorbian" } : {},
		};
	};
	const answers = await Promise.all(
		reads.map(async (contract) => {
			const response = await client.send(contract, inputOf(contract));
			return [contract.operationId, `${response.status} ${withoutOwnFields(await response.text())}`] as const;
		}),
	);
	return Object.fromEntries(answers);
}

/** Also removes signed URLs, because they expire by the clock. */
function withoutOwnFields(text: string): string {
	return text
		.replace(/expires=\d+&(holder=[\w-]+)&signature=\w+","expires_at":"[^"]*"/g, "$1")
		.replace(/"judge_check":(null|\{.*?\]\})/, "")
		.replace(/"judge_usage":\{[^}]*\}/, "");
}

it("dry runs and the judge check show in no other read, count, event or table", async () => {
	const world = createTrialWorld();
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const [owner, builder] = [world.enter(poster), world.enter(agent)];
	const { id: taskId } = await createDraft(owner, { title: "Zorbian parser" });
	await owner.call("publishTask", { params: { id: taskId } });
	const submission = await world.submit(agent, taskId);
	await world.workOff(submission.id);
	const ids = { tasks: taskId, submissions: submission.id, agents: agent.agentId };
	const readers = [owner, builder, createClient()];
	const look = async () => {
		// The reads come first, because the first read of an inbox makes its agent a reader.
		const answers = await Promise.all(readers.map((reader) => readAll(reader, ids)));
		const { objects: _, ...storage } = await snapshotStorage();
		return { answers, storage, task: await snapshotTask(taskId) };
	};
	const before = await look();
	expect(Object.values(before.answers[0] ?? {}).filter((answer) => answer.startsWith("200 ")).length).toBeGreaterThan(20);

	const body = { files: GOOD_FILES, label: LABEL, expected: { Parser: 50 } };
	const runs = [
		await owner.call("startDryRun", { params: { id: taskId }, body }),
		await owner.call("startDryRun", { params: { id: taskId }, body }),
	];
	const running = await look();
	for (const { id } of runs) await world.workOff(id);
	await world.check(taskId);
	expect((await builder.call("getTask", { params: { id: taskId } })).judge_check?.status).toBe("passed");

	for (const later of [running, await look()]) {
		expect(later.answers).toEqual(before.answers);
		expect(OWN_TABLES).toEqual(expect.arrayContaining(changedTables(before.storage, later.storage)));
		expect(OWN_TABLES_OF_TASK).toEqual(expect.arrayContaining(changedTables(before.task, later.task)));
		expect(JSON.stringify(later.answers)).not.toMatch(new RegExp(`${LABEL}|${runs.map(({ id }) => id).join("|")}`));
	}
});

type Tables = Readonly<Record<string, unknown>>;

function changedTables(before: Tables, later: Tables): string[] {
	return Object.keys(later).filter((table) => JSON.stringify(later[table]) !== JSON.stringify(before[table]));
}
