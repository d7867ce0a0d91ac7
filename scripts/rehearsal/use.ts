// Uses the platform of a rehearsal, and then reads everything that its users may read.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

interface Caller {
	readonly url: string;
	readonly key: string | null;
}

/** Sends a request from a new IP address, because the limits count by IP address. */
async function send({ url, key }: Caller, request: string, body?: unknown): Promise<{ status: number; text: string }> {
	const [method = "", path = ""] = request.split(" ");
	const bytes = crypto.getRandomValues(new Uint8Array(3));
	const response = await fetch(url + path, {
		method,
		headers: {
			"CF-Connecting-IP": `10.${bytes.join(".")}`,
			"Content-Type": "application/json",
			...(key === null ? {} : { Authorization: `Bearer ${key}` }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	return { status: response.status, text: await response.text() };
}

const created = z.looseObject({ id: z.string() });
const registered = z.object({ agent_id: z.string(), api_key: z.string() });

async function make(caller: Caller, request: string, body: unknown): Promise<string> {
	const { status, text } = await send(caller, request, body);
	if (status >= 300) throw new Error(`${request} responded ${status}: ${text}`);
	return text === "" ? "" : (created.safeParse(JSON.parse(text)).data?.id ?? "");
}

async function register(url: string, name: string) {
	const { text } = await send({ url, key: null }, "POST /api/v1/agent/register-anonymous", { display_name: name });
	const { agent_id: id, api_key: key } = registered.parse(JSON.parse(text));
	return { id, url, key };
}

const taskBody = (title: string) => ({
	title,
	description: `A parser that handles “quotes”; and 'line\nbreaks' -- and 日本語. ${"Long text. ".repeat(850)}`,
	budget_cents: 50_000,
	deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
	criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
});
const filesOf = (code: string) => ({
	files: {
		"SUBMISSION.md":
			"# What I Built\nA parser\n# How To Run\nnode parser.js\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nSpeed\n",
		"parser.js": code,
	},
});

async function awaitScore(caller: Caller, submission: string): Promise<void> {
	for (let poll = 0; poll < 240; poll += 1) {
		const { text } = await send(caller, `GET /api/v1/submissions/${submission}`);
		if (z.looseObject({ evaluated: z.boolean() }).parse(JSON.parse(text)).evaluated) return;
		await delay(250);
	}
	throw new Error(`Submission ${submission} was not evaluated.`);
}

/** A request, and the key of the caller that sends it. */
interface UserView {
	readonly key: string | null;
	readonly request: string;
}

interface CreatedIds {
	readonly tasks: string[];
	readonly submissions: { readonly id: string; readonly key: string }[];
}

type Agent = Awaited<ReturnType<typeof register>>;

/** Lets the agents compete on two tasks, until each submission is judged. */
async function compete(poster: Agent, agents: readonly Agent[]): Promise<CreatedIds> {
	const used: CreatedIds = { tasks: [], submissions: [] };
	for (const title of ["Parse CSV files", "Parse JSON files"]) {
		const task = await make(poster, "POST /api/v1/tasks", taskBody(title));
		await make(poster, `POST /api/v1/tasks/${task}/publish`, {});
		for (const [index, agent] of agents.entries()) {
			const code = index === 0 ? "// quotes, delimiter, newline\nexport function parser() {}\n" : "// nothing\n";
			const id = await make(agent, `POST /api/v1/tasks/${task}/quick-submit`, filesOf(code));
			await awaitScore(agent, id);
			used.submissions.push({ id, key: agent.key });
		}
		used.tasks.push(task);
	}
	return used;
}

/**
 * Lets two agents compete on two tasks. One task closes and leads to a deal, a draft is deleted, and a task with an external judge gets an
 * encrypted token.
 *
 * @returns The requests whose responses its users may read.
 */
export async function usePlatform(url: string): Promise<UserView[]> {
	const poster = await register(url, "Poster");
	const agents = [await register(url, "First"), await register(url, "Second")];
	const { tasks, submissions } = await compete(poster, agents);
	const draft = await make(poster, "POST /api/v1/tasks", taskBody("A draft"));
	const gone = await make(poster, "POST /api/v1/tasks", taskBody("A deleted draft"));
	await make(poster, `DELETE /api/v1/tasks/${gone}`, undefined);
	const callback = { eval_callback_url: "https://judge.example/" };
	const external = await make(poster, "POST /api/v1/tasks", { ...taskBody("Judged elsewhere"), ...callback });
	await make(poster, `POST /api/v1/tasks/${tasks[0]}/close`, {});
	const deal = { taskId: tasks[0], agentId: agents[0]?.id, dealType: "output_purchase", dealValueCents: 12_345 };
	await make(poster, "POST /api/v1/deals", deal);
	const keys = [poster, ...agents].map(({ key }) => key);
	const forAll = ["agent/whoami", "tasks", "tasks?owner=me", "search/tasks?query=parse+json", "search/tasks?query=pars", "deals"];
	return [
		...tasks.flatMap((task) => [
			...["", "/leaderboard", "/submissions"].map((part) => ({ key: poster.key, request: `GET /api/v1/tasks/${task}${part}` })),
			{ key: null, request: `GET /api/public/tasks/${task}` },
		]),
		...[draft, external].map((task) => ({ key: poster.key, request: `GET /api/v1/tasks/${task}` })),
		...submissions.flatMap(({ id, key }) =>
			["", "/evaluations", "/files"].map((part) => ({ key, request: `GET /api/v1/submissions/${id}${part}` })),
		),
		...keys.flatMap((key) => [
			...forAll.map((path) => ({ key, request: `GET /api/v1/${path}` })),
			...["stats", "submissions"].map((page) => ({ key, request: `GET /api/dashboard/${page}` })),
		]),
	];
}

/** Sends the requests of users. @throws Error if a response does not have the status that it should have. */
export async function readAll(url: string, requests: readonly UserView[]): Promise<void> {
	for (const { key, request } of requests) {
		const { status, text } = await send({ url, key }, request);
		// A page for posters rejects competitors.
		const isForPosters = request === "GET /api/dashboard/submissions";
		if (status !== 200 && !(isForPosters && status === 403)) throw new Error(`${request} responded ${status}: ${text}`);
	}
}
