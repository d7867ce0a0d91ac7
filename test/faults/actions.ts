// The actions of the stage are requests, consumers and sweeps, most of which die at some step.
import { workOff } from "../../src/compose/work-off.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { goodZipWith } from "../support/archives.ts";
import { survive } from "../support/disasters.ts";
import { atSignedUrl } from "../support/uploads.ts";
import { judgeSettled, readSettled, scoreOne, scoreRunning, voidSettled } from "./settled.ts";
import { pick, type Stage, type Unanswered } from "./stage.ts";

const MAX_OPEN_TASKS = 3;
const JOB_STEPS = 40;
const WORDS = ["quotes", "delimiter", "newline", "assert", "escape", "header"];

/** Returns files whose score is random. */
function makeFiles({ random }: Stage): Record<string, string> {
	const words = WORDS.filter(() => random(2) === 0).join(", ");
	return { "SUBMISSION.md": `# What I Built\nA parser ${random(1_000_000)}\n`, "parser.js": `// ${words}\nexport const parse = 1;\n` };
}

async function submitFiles(stage: Stage): Promise<void> {
	const { id: taskId } = pick(stage.random, stage.tasks);
	const agent = pick(stage.random, stage.agents);
	await sendFiles(stage, { taskId, agent, key: crypto.randomUUID(), files: makeFiles(stage) });
}

/** Sends files for the first time or again. If the response is lost, it keeps them for another time. */
async function sendFiles(stage: Stage, request: Unanswered): Promise<void> {
	const { taskId, agent, key, files } = request;
	const response = await stage.send(agent, (client) =>
		client.send("quickSubmit", { params: { id: taskId }, body: { files }, headers: { "Idempotency-Key": key } }),
	);
	await keepAnswer(stage, request, response);
}

async function keepAnswer(stage: Stage, request: Unanswered, response: Response | null): Promise<void> {
	if (response === null || response.status >= 500) stage.unanswered.push(request);
	else if (response.ok) stage.acknowledged.set((await response.json<{ id: string }>()).id, request);
}

async function repeatRequest(stage: Stage): Promise<void> {
	const request = stage.unanswered.shift();
	if (request !== undefined) await sendFiles(stage, request);
}

async function registerUpload(stage: Stage): Promise<void> {
	const { id: taskId } = pick(stage.random, stage.tasks);
	const agent = pick(stage.random, stage.agents);
	const response = await stage.send(agent, (client) => client.send("createSubmission", { params: { id: taskId } }));
	if (response?.status !== 201) return;
	const { id, upload_url: url } = await response.json<{ id: string; upload_url: string }>();
	stage.uploads.push({ id, url, taskId, agent });
	stage.registered.set(id, { taskId, agent });
}

/** Uploads and completes. Each half may die, and is then repeated. */
async function completeUpload(stage: Stage): Promise<void> {
	const upload = stage.uploads.shift();
	if (upload === undefined) return;
	await stage.send({ key: null }, (client) => client.send("putArtifact", atSignedUrl(upload.url, { rawBody: goodZipWith() })));
	const response = await stage.send(upload.agent, (client) => client.send("completeSubmission", { params: { id: upload.id } }));
	if (response?.status === 200) stage.acknowledged.set(upload.id, upload);
	else if (response?.status !== 409 && stage.tasks.some(({ id }) => id === upload.taskId)) stage.uploads.push(upload);
}

async function judgeAgain(stage: Stage): Promise<void> {
	if (stage.acknowledged.size === 0) return;
	const [id, work] = pick(stage.random, [...stage.acknowledged].slice(-50));
	await stage.send(work.agent, (client) => client.send("requestReEvaluation", { params: { id } }));
}

/**
 * Runs consumers of some waiting messages in parallel. A message may be lost or come twice, also while its first copy is being consumed.
 */
async function consumeEvaluations(stage: Stage): Promise<void> {
	const taken = stage.messages.splice(0, 1 + stage.random(4)).flatMap((message) => spoil(stage, message));
	await Promise.all(
		taken.map(async (message) => {
			const isDone = await stage.risk((deps) => workOff(deps, message.taskId), JOB_STEPS);
			// The queue repeats messages that were not acknowledged.
			if (!isDone) stage.messages.push(message);
		}),
	);
}

/** Wakes the objects of webhooks that are due. Sometimes all of them die while they send. */
async function wakeSenders(stage: Stage): Promise<void> {
	const ringing = survive(stage.senders.ring());
	if (stage.random(8) === 0) {
		stage.senders.kill();
		stage.count("object evicted");
	}
	await ringing;
	await survive(stage.settleSenders());
}

/** Returns the message once, twice or not at all. */
function spoil<Message>(stage: Stage, message: Message): Message[] {
	const chance = stage.random(12);
	if (chance === 0) {
		stage.count("message lost");
		return [];
	}
	if (chance > 1) return [message];
	stage.count("message doubled");
	return [message, message];
}

/** Moves the clock, and wakes the objects of tasks that are due. */
async function wakeTasks(stage: Stage): Promise<void> {
	stage.clock.advance((1 + stage.random(90)) * 1000);
	await stage.objects.ring();
	await stage.objects.settled();
}

/**
 * Moves the clock by a day: waiting work is out of time, and the collector runs. Keys of unanswered requests expire, so those are
 * repeated before.
 */
async function skipDay(stage: Stage): Promise<void> {
	await repeatAll(stage);
	stage.clock.advance(DAY_MS);
	await stage.objects.ring();
	await stage.objects.settled();
}

async function cutWatcher(stage: Stage): Promise<void> {
	const watcher = stage.watchers.get(pick(stage.random, stage.tasks).id);
	await watcher?.cut();
	stage.count("connection cut");
	if (stage.random(2) === 0) await watcher?.connect();
}

const evict = (stage: Stage) => stage.evict();

/** A poster closes a task, which ends its registered submissions, and opens another one. */
async function closeOne(stage: Stage): Promise<void> {
	const [task] = stage.tasks;
	if (task === undefined || stage.tasks.length < MAX_OPEN_TASKS) return stage.open();
	const response = await stage.send(task.poster, (client) => client.send("closeTask", { params: { id: task.id } }));
	// An earlier request may have closed it and died before it responded.
	if (response?.status !== 200 && response?.status !== 409) return;
	stage.tasks.shift();
	stage.closed.push(task);
}

/** Each action is chosen with its weight out of their sum. */
const ACTIONS: readonly (readonly [number, (stage: Stage) => Promise<void>])[] = [
	[30, submitFiles],
	[12, repeatRequest],
	[5, registerUpload],
	[8, completeUpload],
	[4, judgeAgain],
	[35, consumeEvaluations],
	[10, wakeSenders],
	[16, wakeTasks],
	[1, skipDay],
	[4, cutWatcher],
	[2, evict],
	[5, closeOne],
	[6, readSettled],
	[2, judgeSettled],
	[1, voidSettled],
	[5, scoreOne],
];

const SUM_OF_WEIGHTS = ACTIONS.reduce((sum, [weight]) => sum + weight, 0);

/** Plays one action, and returns its name. */
export async function act(stage: Stage): Promise<string> {
	let chance = stage.random(SUM_OF_WEIGHTS);
	for (const [weight, run] of ACTIONS) {
		if (chance < weight) {
			await run(stage);
			return run.name;
		}
		chance -= weight;
	}
	throw new Error("Chance is greater than the sum of all weights.");
}

const QUIET_MINUTES = 3;
const MAX_MINUTES = 600;

async function repeatAll(stage: Stage): Promise<void> {
	for (let requests = stage.unanswered.splice(0); requests.length > 0; requests = stage.unanswered.splice(0)) {
		for (const request of requests) {
			const { taskId, agent, key, files } = request;
			const sent = { params: { id: taskId }, body: { files }, headers: { "Idempotency-Key": key } };
			await keepAnswer(stage, request, await stage.as(agent).send("quickSubmit", sent));
		}
	}
}

/** Plays the minutes after the last fault: nothing dies, until no work is left. */
export async function recover(stage: Stage): Promise<void> {
	stage.endFaults();
	await repeatAll(stage);
	for (let minute = 0, quiet = 0; minute < MAX_MINUTES && quiet < QUIET_MINUTES; minute += 1) {
		stage.clock.advance(MINUTE_MS);
		await stage.objects.ring();
		await stage.objects.settled();
		await scoreRunning(stage);
		const messages = stage.messages.splice(0);
		for (const message of messages) await live(stage, (deps) => workOff(deps, message.taskId));
		await stage.senders.ring();
		await stage.settleSenders();
		// An object without work wakes up only to forget.
		const isWaiting = [...stage.senders.alarms.values(), ...stage.objects.alarms.values()].some((at) => at < stage.clock.now() + HOUR_MS);
		quiet = messages.length === 0 && !isWaiting ? quiet + 1 : 0;
	}
}

async function live(stage: Stage, run: (deps: Deps) => Promise<unknown>): Promise<void> {
	const deps = stage.openDeps();
	await run(deps);
	await deps.settled();
	await stage.objects.settled();
}
