// Plays the loop of a competition like patient clients, while steps of the platform fail. Then checks that everything exists that was
// acknowledged.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { randomAddress, until } from "../../support/patience.ts";
import type { TwoVersions } from "./platform.ts";

const CHANCE = 0.05;
const PATIENCE = 60;
const PAUSE_MS = 100;
const AGENTS = 2;
const PARALLEL = 3;
const MAX_ROUNDS = 60;
/** How long to wait for evaluations. A lost message is sent again after at most two minutes. */
const LONGEST_WAIT_MS = 280_000;

const made = z.object({ id: z.string() });
const registered = z.object({ agent_id: z.string(), api_key: z.string() });
const shownTask = z.object({ status: z.string() });
const shownSubmission = z.object({ status: z.string(), scores: z.object({ final_score: z.number() }).nullable() });
const shownBoard = z.object({ entries: z.array(z.object({ submissionId: z.string() })) });
const shownEntry = z.object({ value: z.unknown() });
const shownDeals = z.object({ data: z.array(made) });

interface Player {
	readonly agentId: string;
	readonly key: string;
}

interface Submission {
	readonly id: string;
	readonly by: Player;
}

/** One competition, with the writes that were acknowledged. */
interface Round {
	readonly poster: Player;
	readonly taskId: string;
	readonly submissions: readonly Submission[];
	/** What was written to the poster's workspace. */
	readonly written: string;
}

interface EndedRound extends Round {
	readonly dealId: string;
}

interface Asked {
	readonly by?: Player;
	readonly body?: unknown;
	readonly idempotencyKey?: string;
	/** The status of a repeated request if the first one took effect but its response was lost. */
	readonly orElse?: number;
}

export interface Played {
	readonly serverErrors: readonly string[];
	/** What was acknowledged but is missing. */
	readonly lost: readonly string[];
	readonly acknowledged: number;
	readonly faults: number;
	readonly evictions: number;
}

/** A client that repeats its requests as long as the platform is busy. */
class PatientClient {
	readonly serverErrors: string[] = [];
	acknowledged = 0;
	readonly #url: string;

	constructor(url: string) {
		this.#url = url;
	}

	/** Returns null if an earlier try took effect and its response was lost. */
	async ask<T>(schema: z.ZodType<T>, [method, path]: readonly [string, string], asked: Asked = {}): Promise<T | null> {
		for (let tried = 1; tried <= PATIENCE; tried += 1) {
			const response = await fetch(`${this.#url}${path}`, { method, ...requestOf(asked) });
			const text = await response.text();
			if (response.ok) {
				this.acknowledged += method === "GET" ? 0 : 1;
				return schema.parse(JSON.parse(text));
			}
			if (response.status === asked.orElse && tried > 1) return null;
			if (response.status !== 503) throw this.#note(`${method} ${path}: ${response.status} ${text}`, response.status);
			await delay(PAUSE_MS);
		}
		throw new Error(`${method} ${path} was busy ${PATIENCE} times.`);
	}

	async get<T>(schema: z.ZodType<T>, path: string, by: Player): Promise<T> {
		return notNull(await this.ask(schema, ["GET", path], { by }));
	}

	async register(): Promise<Player> {
		const { agent_id, api_key } = notNull(await this.ask(registered, ["POST", "/api/v1/agent/register-anonymous"], { body: {} }));
		return { agentId: agent_id, key: api_key };
	}

	/** Reads the first event of a stream. A broken stream is not a fault, because its client would connect again. */
	async readFirstEvent({ id, by }: Submission): Promise<void> {
		const stop = new AbortController();
		const path = `/api/v1/submissions/${id}/stream`;
		try {
			const response = await fetch(`${this.#url}${path}`, { ...requestOf({ by }), signal: stop.signal });
			if (response.status !== 200 && response.status !== 503) throw this.#note(`GET ${path}: ${response.status}`, response.status);
			await response.body?.getReader().read();
		} finally {
			stop.abort();
		}
	}

	#note(words: string, status: number): Error {
		if (status >= 500) this.serverErrors.push(words);
		return new Error(words);
	}
}

/** Plays rounds, at least one, until this number of steps has failed. Without `faults`, no step fails. */
export async function playLoop(platform: TwoVersions, { faults }: { readonly faults: number }): Promise<Played> {
	const client = new PatientClient(platform.url);
	const rounds: Round[] = [];
	const chance = faults === 0 ? 0 : CHANCE;
	await platform.setChance(chance);
	do {
		rounds.push(...(await Promise.all(Array.from({ length: PARALLEL }, () => playRound(client, platform)))));
	} while ((await platform.setChance(chance)) < faults && rounds.length < MAX_ROUNDS);
	await platform.sweep();
	// Asking for all rounds at each look would keep the platform from judging.
	const giveUpAt = Date.now() + LONGEST_WAIT_MS;
	for (const round of rounds) await until(() => isEvaluated(client, round), "evaluations", giveUpAt - Date.now());
	const ended = await Promise.all(rounds.map((round) => end(client, round)));
	const injected = await platform.setChance(0);
	const lost = (await Promise.all(ended.map((round) => audit(client, round)))).flat();
	const { serverErrors, acknowledged } = client;
	return { serverErrors, lost, acknowledged, faults: injected, evictions: rounds.length * AGENTS };
}

async function playRound(client: PatientClient, platform: TwoVersions): Promise<Round> {
	const poster = await client.register();
	const created = await client.ask(made, ["POST", "/api/v1/tasks"], { by: poster, body: taskBody(), idempotencyKey: crypto.randomUUID() });
	const taskId = notNull(created).id;
	await client.ask(made, ["POST", `/api/v1/tasks/${taskId}/publish`], { by: poster, orElse: 409 });
	const written = crypto.randomUUID();
	await client.ask(z.unknown(), ["PUT", "/api/v1/workspace/kv/plan"], { by: poster, body: { value: written } });
	const submissions: Submission[] = [];
	for (let index = 0; index < AGENTS; index += 1) {
		const by = await client.register();
		const path = `/api/v1/tasks/${taskId}/quick-submit`;
		const sent = await client.ask(made, ["POST", path], { by, body: { files: FILES }, idempotencyKey: crypto.randomUUID() });
		const submission = { id: notNull(sent).id, by };
		submissions.push(submission);
		await platform.evict(taskId);
		await client.readFirstEvent(submission);
	}
	return { poster, taskId, submissions, written };
}

async function isEvaluated(client: PatientClient, { submissions }: Round): Promise<boolean> {
	const shown = await Promise.all(submissions.map(({ id, by }) => client.get(shownSubmission, `/api/v1/submissions/${id}`, by)));
	return shown.every(({ status }) => status === "completed" || status === "evaluation_failed");
}

async function end(client: PatientClient, round: Round): Promise<EndedRound> {
	const { poster, taskId, submissions } = round;
	await client.ask(z.unknown(), ["POST", `/api/v1/tasks/${taskId}/close`], { by: poster, orElse: 409 });
	const body = { taskId, agentId: submissions[0]?.by.agentId, dealType: "output_purchase", dealValueCents: 10_000 };
	const deal = await client.ask(made, ["POST", "/api/v1/deals"], { by: poster, body, idempotencyKey: crypto.randomUUID() });
	return { ...round, dealId: notNull(deal).id };
}

async function audit(client: PatientClient, { poster, taskId, submissions, written, dealId }: EndedRound): Promise<string[]> {
	const [task, board, plan, deals] = await Promise.all([
		client.get(shownTask, `/api/v1/tasks/${taskId}`, poster),
		client.get(shownBoard, `/api/v1/tasks/${taskId}/leaderboard`, poster),
		client.get(shownEntry, "/api/v1/workspace/kv/plan", poster),
		client.get(shownDeals, "/api/v1/deals", poster),
	]);
	const found: [string, boolean][] = [
		[`the end of task ${taskId}`, task.status === "closed"],
		[`the workspace of agent ${poster.agentId}`, plan.value === written],
		[`deal ${dealId}`, deals.data.some(({ id }) => id === dealId)],
	];
	for (const { id, by } of submissions) {
		const { status, scores } = await client.get(shownSubmission, `/api/v1/submissions/${id}`, by);
		found.push([`the score of submission ${id}, which is ${status}`, status === "completed" && scores !== null]);
		found.push([`the entry of submission ${id}`, board.entries.some(({ submissionId }) => submissionId === id)]);
	}
	return found.filter(([, isThere]) => !isThere).map(([what]) => what);
}

function requestOf({ by, body, idempotencyKey }: Asked): RequestInit {
	const headers = new Headers({ "CF-Connecting-IP": randomAddress(), "Content-Type": "application/json" });
	if (by !== undefined) headers.set("Authorization", `Bearer ${by.key}`);
	if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
	return { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

function notNull<T>(value: T | null): T {
	if (value === null) throw new Error("The response was lost, and with it the id of what it created.");
	return value;
}

const taskBody = () => ({
	title: "Parse CSV files",
	budget_cents: 50_000,
	deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
	criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
});

const FILES = {
	"SUBMISSION.md": "# What I Built\nA parser.\n# How To Run\nnode parser.js\n",
	"parser.js": "export const parse = (text, delimiter = ',') => text.split('\\n').map((row) => row.split(delimiter));\n",
};
