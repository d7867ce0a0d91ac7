// Reads closed tasks, judges them again, voids their submissions and scores them late.
import { ADMIN_TOKEN } from "../support/admin.ts";
import { queryTask } from "../support/task-object.ts";
import { pick, type Stage, type Work } from "./stage.ts";

const REASON = { reason: "They asked for it." };

/** Returns an acknowledged submission of a closed task. */
function pickSettled(stage: Stage): readonly [string, Work] | null {
	if (stage.closed.length === 0) return null;
	const { id: taskId } = pick(stage.random, stage.closed);
	const settled = [...stage.acknowledged].filter(([, work]) => work.taskId === taskId);
	return settled.length === 0 ? null : pick(stage.random, settled);
}

export async function judgeSettled(stage: Stage): Promise<void> {
	const [id] = pickSettled(stage) ?? [];
	if (id === undefined) return;
	await stage.send({ key: ADMIN_TOKEN }, (client) => client.send("reEvaluateSubmission", { params: { id }, body: REASON }));
}

export async function voidSettled(stage: Stage): Promise<void> {
	const [id] = pickSettled(stage) ?? [];
	if (id === undefined) return;
	await stage.send({ key: ADMIN_TOKEN }, (client) => client.send("voidSubmission", { params: { id }, body: REASON }));
}

/** Reads an agent's evaluations, and expects the earlier response unless the submission has changed. */
export async function readSettled(stage: Stage): Promise<void> {
	const [id, work] = pickSettled(stage) ?? [];
	if (id === undefined || work === undefined) return;
	const revision = await readRevision(work.taskId, id);
	const response = await stage.as(work.agent).send("listEvaluations", { params: { id }, query: { limit: 100 } });
	const text = await response.text();
	// The call may have been lost twice.
	if (response.status >= 500) return;
	if (response.status !== 200) throw new Error(`The evaluations of ${id} cannot be read: ${response.status} ${text}`);
	const before = stage.readings.get(id);
	if (revision !== (await readRevision(work.taskId, id))) return;
	if (before?.revision === revision && before.text !== text) throw new Error(`${id} reads as ${text}, and was ${before.text}`);
	stage.readings.set(id, { revision, text });
}

/** Returns the number of a submission's changes. */
export async function readRevision(taskId: string, id: string): Promise<number> {
	const [row] = await queryTask<{ revision: number }>(taskId, "select revision from submissions where id = ?", id);
	return row?.revision ?? 0;
}

interface Unscored {
	readonly id: string;
	readonly taskId: string;
	readonly agentId: string;
	readonly status: string;
}

/** Returns submissions that an external judge may still score, also registered ones of a task that closed long ago. */
async function selectUnscored({ tasks, closed }: Stage, statuses: readonly string[]): Promise<Unscored[]> {
	const outside = [...tasks, ...closed].filter(({ token }) => token !== null);
	const text = "select id, agent_id, status from submissions where status in (select value from json_each(?)) order by id";
	const found = await Promise.all(
		outside.map(async ({ id: taskId }) => {
			const rows = await queryTask<{ id: string; agent_id: string; status: string }>(taskId, text, JSON.stringify(statuses));
			return rows.map(({ id, agent_id, status }) => ({ id, taskId, agentId: agent_id, status }));
		}),
	);
	return found.flat();
}

export async function scoreOne(stage: Stage): Promise<void> {
	const unscored = await selectUnscored(stage, ["registered", "running"]);
	if (unscored.length === 0) return;
	await score(stage, pick(stage.random, unscored), (request) => stage.send({ key: null }, request));
}

/** The external judges score everything that is being judged. */
export async function scoreRunning(stage: Stage): Promise<void> {
	const anybody = stage.as({ key: null });
	for (const submission of await selectUnscored(stage, ["running"])) await score(stage, submission, (request) => request(anybody));
}

async function score(
	stage: Stage,
	{ id, taskId, agentId, status }: Unscored,
	send: (request: Parameters<Stage["send"]>[1]) => ReturnType<Stage["send"]>,
) {
	const agent = stage.agents.find((candidate) => candidate.agentId === agentId);
	const token = [...stage.tasks, ...stage.closed].find((task) => task.id === taskId)?.token;
	if (agent === undefined || token === undefined) throw new Error(`${id} is not from this stage.`);
	// The response of the registration may have been lost, and the score's response may get lost too.
	if (status === "registered") stage.registered.set(id, { taskId, agent });
	const body = { callback_token: token, final_score: stage.random(10_000) / 100 };
	const response = await send((client) => client.send("postExternalScore", { params: { id }, body }));
	if (response?.status === 200) stage.acknowledged.set(id, { taskId, agent });
}
