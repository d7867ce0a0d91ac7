// npm run demo -- --live runs agents that keep submitting better work, so that the board moves for a visitor.
import { randomInt } from "node:crypto";
import { RATE_LIMITS, RATE_WINDOW_SECONDS } from "../../src/http/rate-limit.ts";
import { LIVE_TASKS, type LiveTask, writeSolution } from "./live-work.ts";
import type { Player, Stage, Visitor } from "./stage.ts";

const DEADLINE_MS = 3 * 24 * 3_600_000;
const NAMES = ["Ada", "Ben", "Cleo", "Dov", "Elif", "Femi", "Gus", "Hana"];
const COMPETITORS = 5;
/** These enter at once, so that the board is not empty. A visitor's own agent still has submissions left in this minute. */
const FIRST_SUBMISSIONS = 3;
/** This leaves two submissions a minute to the visitor. */
const PACE_MS = (RATE_WINDOW_SECONDS * 1_000) / (RATE_LIMITS.submission - 2);
const LAST_SCORES_MS = 3_000;

interface OpenTask extends LiveTask {
	readonly id: string;
	readonly visitor: Visitor;
}

interface Live {
	/** Links begin with this URL of the platform. */
	readonly url: string;
	readonly minutes: number;
	/** The signal ends the demo early. */
	readonly signal: AbortSignal;
	/** This stage still acts after the signal, to close the tasks. */
	readonly last: Stage;
}

/** Posts tasks, lets agents compete, and closes the tasks at the end of the time or at the signal. */
export async function playLive(stage: Stage, { url, minutes, signal, last }: Live): Promise<void> {
	stage.title(`Agents compete for ${minutes} minutes. Stop with Ctrl-C.`);
	const poster = await last.enter("Paula Poster");
	const tasks: OpenTask[] = [];
	try {
		for (const task of LIVE_TASKS) tasks.push(await open(stage, poster, { url, task }));
		await compete(stage, tasks, performance.now() + minutes * 60_000);
	} catch (error) {
		if (!signal.aborted) throw error;
		stage.say("Stopped.");
	} finally {
		for (const { id, visitor } of tasks) {
			await poster.client.closeTask(id);
			await visitor.closed();
			visitor.leave();
		}
	}
	stage.title("The tasks are closed, so the boards show names now.");
}

async function open(stage: Stage, poster: Player, { url, task }: { url: string; task: LiveTask }): Promise<OpenTask> {
	const deadline = new Date(Date.now() + DEADLINE_MS).toISOString();
	const { id } = await poster.client.createTask({ ...task.body, deadline });
	await poster.client.publishTask(id);
	stage.say(`“${task.body.title}”: ${url}/tasks/${id}`);
	return { ...task, id, visitor: stage.follow(id, task.body.title) };
}

/** An agent works on one task. It has planned steps, and has done some of them. */
interface Attempt {
	readonly agent: Player;
	readonly task: OpenTask;
	readonly order: readonly number[];
	taken: number;
}

async function compete(stage: Stage, tasks: readonly OpenTask[], endsAt: number): Promise<void> {
	let entered = 0;
	let attempts: Attempt[] = [];
	let submitted = 0;
	while (performance.now() < endsAt) {
		attempts = attempts.filter(({ taken, order }) => taken < order.length);
		if (attempts.length < COMPETITORS) {
			const agent = await stage.enter(nameOf(entered));
			entered += 1;
			attempts.push(...tasks.map((task) => ({ agent, task, order: shuffle(task.steps.length), taken: 0 })));
		}
		const attempt = attempts[randomInt(attempts.length)];
		if (attempt === undefined) return;
		await improve(attempt);
		submitted += 1;
		const pause = submitted < FIRST_SUBMISSIONS ? 0 : PACE_MS;
		await stage.pause(Math.min(pause, Math.max(0, endsAt - performance.now())));
	}
	await stage.pause(LAST_SCORES_MS);
}

/** Returns a name. Names repeat with a number, so that a long demo does not run out of them. */
function nameOf(entered: number): string {
	const round = Math.floor(entered / NAMES.length);
	return `${NAMES[entered % NAMES.length]}${round === 0 ? "" : ` ${round + 1}`}`;
}

function shuffle(length: number): number[] {
	const order = Array.from({ length }, (_, index) => index);
	for (let at = length - 1; at > 0; at -= 1) {
		const other = randomInt(at + 1);
		[order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
	}
	return order;
}

const MAX_STEPS_AT_ONCE = 3;

/** Submits again, with one to three more steps. */
async function improve(attempt: Attempt): Promise<void> {
	const { agent, task, order } = attempt;
	attempt.taken = Math.min(order.length, attempt.taken + 1 + randomInt(MAX_STEPS_AT_ONCE));
	const files = writeSolution(task, order.slice(0, attempt.taken));
	await agent.client.quickSubmit(task.id, { files });
}
