// What happens on the stage to tasks that are closed: they are read, judged again, voided and scored late.

import { STORED_OBJECTS } from "../../src/compose/stored-objects.ts";
import { reEvaluateSubmission, voidSubmission } from "../../src/features/admin/contract.ts";
import { postExternalScore } from "../../src/features/evaluation/contract.ts";
import { collectObjects } from "../../src/features/stored-objects/service.ts";
import { listEvaluations } from "../../src/features/submissions/contract.ts";
import { ADMIN_TOKEN } from "../support/admin.ts";
import { count, queryAll } from "../support/storage.ts";
import { pick, type Stage, type Work } from "./stage.ts";

const COLLECTOR_STEPS = 8;
const REASON = { reason: "They asked for it." };

/** An acknowledged submission of a closed task. */
function pickSettled(stage: Stage): readonly [string, Work] | null {
	if (stage.closed.length === 0) return null;
	const { id: taskId } = pick(stage.random, stage.closed);
	const settled = [...stage.acknowledged].filter(([, work]) => work.taskId === taskId);
	return settled.length === 0 ? null : pick(stage.random, settled);
}

export async function judgeSettled(stage: Stage): Promise<void> {
	const [id] = pickSettled(stage) ?? [];
	if (id === undefined) return;
	await stage.send({ key: ADMIN_TOKEN }, (client) => client.send(reEvaluateSubmission, { params: { id }, body: REASON }));
}

export async function voidSettled(stage: Stage): Promise<void> {
	const [id] = pickSettled(stage) ?? [];
	if (id === undefined) return;
	await stage.send({ key: ADMIN_TOKEN }, (client) => client.send(voidSubmission, { params: { id }, body: REASON }));
}

/** An agent reads its evaluations, and gets what it got before unless the submission has changed. */
export async function readSettled(stage: Stage): Promise<void> {
	const [id, work] = pickSettled(stage) ?? [];
	if (id === undefined || work === undefined) return;
	const revision = await readRevision(id);
	const response = await stage.as(work.agent).send(listEvaluations, { params: { id }, query: { limit: 100 } });
	const text = await response.text();
	if (response.status !== 200) throw new Error(`The evaluations of ${id} cannot be read: ${response.status} ${text}`);
	const before = stage.readings.get(id);
	if (revision !== (await readRevision(id))) return;
	if (before?.revision === revision && before.text !== text) throw new Error(`${id} reads as ${text}, and was ${before.text}`);
	stage.readings.set(id, { revision, text });
}

const readRevision = (id: string) => count("select revision from submissions where id = ?", id);

interface Unscored {
	readonly id: string;
	readonly task_id: string;
	readonly agent_id: string;
}

/** Submissions that the services of posters may still score: also those that were only registered, long after their task was closed. */
async function selectUnscored({ tasks, closed }: Stage, statuses: readonly string[]): Promise<Unscored[]> {
	const outside = [...tasks, ...closed].filter(({ token }) => token !== null).map(({ id }) => id);
	return queryAll<Unscored>(
		"select id, task_id, agent_id from submissions where task_id in (select value from json_each(?)) and status in (select value from json_each(?))",
		JSON.stringify(outside),
		JSON.stringify(statuses),
	);
}

export async function scoreOne(stage: Stage): Promise<void> {
	const unscored = await selectUnscored(stage, ["registered", "running"]);
	if (unscored.length === 0) return;
	await score(stage, pick(stage.random, unscored), (request) => stage.send({ key: null }, request));
}

/** The services of posters score everything that is being judged. */
export async function scoreRunning(stage: Stage): Promise<void> {
	const anybody = stage.as({ key: null });
	for (const submission of await selectUnscored(stage, ["running"])) await score(stage, submission, (request) => request(anybody));
}

async function score(
	stage: Stage,
	{ id, task_id: taskId, agent_id: agentId }: Unscored,
	send: (request: Parameters<Stage["send"]>[1]) => ReturnType<Stage["send"]>,
) {
	const agent = stage.agents.find((candidate) => candidate.agentId === agentId);
	const token = [...stage.tasks, ...stage.closed].find((task) => task.id === taskId)?.token;
	if (agent === undefined || token === undefined) throw new Error(`${id} is not from this stage.`);
	const body = { callback_token: token, final_score: stage.random(10_000) / 100 };
	const response = await send((client) => client.send(postExternalScore, { params: { id }, body }));
	if (response?.status === 200) stage.acknowledged.set(id, { taskId, agent });
}

export async function collect(stage: Stage): Promise<void> {
	const objects = pick(stage.random, STORED_OBJECTS);
	await stage.risk((deps) => collectObjects(deps, objects), COLLECTOR_STEPS);
}
