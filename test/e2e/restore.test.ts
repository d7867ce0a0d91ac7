// A platform is used, backed up and restored elsewhere, by the commands and the cron that an operator has. The restored one says the same.
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { PROJECT_ROOT, requireWrangler } from "../../scripts/support/wrangler.ts";
import { PASSING_TABLES } from "../../src/db/backup-tables.ts";
import { type Home, makeHome, runScript, startAtHome, startScript } from "../support/commands.ts";

const BUCKET = "bounty-platform-backup";
const OBJECTS = "v3/r2";

let project = "";
let home: Home;
let newHome: Home;
let otherHome: Home;
beforeAll(async () => {
	[project, home, newHome, otherHome] = await Promise.all([copyProject(), makeHome(), makeHome(), makeHome()]);
});
afterAll(() => Promise.all([rm(project, { recursive: true, force: true }), ...[home, newHome, otherHome].map((each) => each.remove())]));

/** The project with the bucket for backups, as an operator has it after removing the comment signs. */
async function copyProject(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-project-"));
	const linked = ["node_modules", "dist", "docs"];
	for (const path of await readdir(PROJECT_ROOT)) {
		if ([".git", ".wrangler", "test", "wrangler.toml"].includes(path)) continue;
		if (linked.includes(path)) await symlink(join(PROJECT_ROOT, path), join(folder, path));
		else await cp(join(PROJECT_ROOT, path), join(folder, path), { recursive: true, filter: (source) => !source.includes("node_modules") });
	}
	const written = await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8");
	const block = /# \[\[r2_buckets\]\]\n# binding = "BACKUP_BUCKET"\n# bucket_name = .*\n/;
	await writeFile(
		join(folder, "wrangler.toml"),
		written.replace(block, (text) => text.replaceAll(/^# /gm, "")),
	);
	return folder;
}

interface Caller {
	readonly url: string;
	readonly key: string | null;
}

/** Each call has an IP address of its own, because the limits count by address. */
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

/** Two agents compete on two tasks; one task closes and leads to a deal, a draft is deleted. Returns what each caller may ask. */
async function useThePlatform(url: string): Promise<{ key: string | null; request: string }[]> {
	const poster = await register(url, "Poster");
	const agents = [await register(url, "First"), await register(url, "Second")];
	const tasks: string[] = [];
	const submissions: { id: string; key: string }[] = [];
	for (const title of ["Parse CSV files", "Parse JSON files"]) {
		const task = await make(poster, "POST /api/v1/tasks", taskBody(title));
		await make(poster, `POST /api/v1/tasks/${task}/publish`, {});
		for (const [index, agent] of agents.entries()) {
			const code = index === 0 ? "// quotes, delimiter, newline\nexport function parser() {}\n" : "// nothing\n";
			const id = await make(agent, `POST /api/v1/tasks/${task}/quick-submit`, filesOf(code));
			await awaitScore(agent, id);
			submissions.push({ id, key: agent.key });
		}
		tasks.push(task);
	}
	const draft = await make(poster, "POST /api/v1/tasks", taskBody("A draft"));
	const gone = await make(poster, "POST /api/v1/tasks", taskBody("A deleted draft"));
	await make(poster, `DELETE /api/v1/tasks/${gone}`, undefined);
	await make(poster, `POST /api/v1/tasks/${tasks[0]}/close`, {});
	const deal = { taskId: tasks[0], agentId: agents[0]?.id, dealType: "output_purchase", dealValueCents: 12_345 };
	await make(poster, "POST /api/v1/deals", deal);
	const all = [poster, ...agents].map(({ key }) => key);
	return [
		...tasks.flatMap((task) => [
			{ key: poster.key, request: `GET /api/v1/tasks/${task}` },
			{ key: poster.key, request: `GET /api/v1/tasks/${task}/leaderboard` },
			{ key: poster.key, request: `GET /api/v1/tasks/${task}/submissions` },
			{ key: null, request: `GET /api/public/tasks/${task}` },
		]),
		{ key: poster.key, request: `GET /api/v1/tasks/${draft}` },
		...submissions.flatMap(({ id, key }) => [
			{ key, request: `GET /api/v1/submissions/${id}` },
			{ key, request: `GET /api/v1/submissions/${id}/evaluations` },
			{ key, request: `GET /api/v1/submissions/${id}/files` },
		]),
		...all.flatMap((key) =>
			["agent/whoami", "tasks", "tasks?owner=me", "search/tasks?query=parse+json", "search/tasks?query=pars", "deals"].map((path) => ({
				key,
				request: `GET /api/v1/${path}`,
			})),
		),
		...all.map((key) => ({ key, request: "GET /api/dashboard/stats" })),
		...all.map((key) => ({ key, request: "GET /api/dashboard/submissions" })),
	];
}

/** The signatures of URLs, which every response has anew. */
function withoutGrants(text: string): string {
	return text.replaceAll(/expires=\d+&signature=\w+/g, "GRANT").replaceAll(/"expires_at":"[^"]+"/g, '"expires_at":"LATER"');
}

async function readAll(url: string, requests: readonly { key: string | null; request: string }[]) {
	const answers: Record<string, { status: number; text: string }> = {};
	for (const { key, request } of requests) {
		const { status, text } = await send({ url, key }, request);
		// A page for posters refuses competitors, before and after.
		const isForPosters = request === "GET /api/dashboard/submissions";
		expect({ request, isExpected: status === 200 || (isForPosters && status === 403) }).toEqual({ request, isExpected: true });
		answers[`${request} ${key}`] = { status, text: withoutGrants(text.replaceAll(url, "URL")) };
	}
	return answers;
}

async function openDatabase({ stateDir }: Home): Promise<DatabaseSync> {
	const folder = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
	const [file = ""] = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
	return new DatabaseSync(join(folder, file), { readOnly: true });
}

async function listTables(home: Home): Promise<string[]> {
	const db = await openDatabase(home);
	const rows = db.prepare("select name from sqlite_schema where type = 'table' and name not like '_cf_%' order by name").all();
	db.close();
	return z
		.array(z.object({ name: z.string() }))
		.parse(rows)
		.map(({ name }) => name);
}

/** Every table and trigger of a stopped platform's database, but for what belongs to requests under way. */
async function readDatabase(home: Home): Promise<Record<string, unknown>> {
	const db = await openDatabase(home);
	const named = z.array(z.object({ name: z.string(), sql: z.string() }));
	const objects = named.parse(
		db
			.prepare(
				"select name, sql from sqlite_schema where sql is not null and name not like '_cf_%' and name not like 'sqlite_%' order by name",
			)
			.all(),
	);
	const tables = objects.filter(
		({ name, sql }) => /^create table/i.test(sql) && !/^(task_search|d1_)/.test(name) && !PASSING_TABLES.includes(name),
	);
	const rows = tables.map(({ name }) => [
		name,
		db
			.prepare(`select * from "${name}"`)
			.all()
			.map((row) => JSON.stringify(row))
			.toSorted(),
	]);
	const indexed = db.prepare("select count(*) as documents from task_search where task_search match 'parse'").get();
	db.close();
	return { ...Object.fromEntries(rows), schema: objects.filter(({ name }) => !name.startsWith("task_search_")), indexed };
}

async function waitFor(text: () => string, wanted: string): Promise<void> {
	for (let poll = 0; poll < 480; poll += 1) {
		if (text().includes(wanted)) return;
		await delay(250);
	}
	throw new Error(`${wanted} did not appear in:\n${text()}`);
}

const restore = ({ env }: Home = newHome) => runScript("restore.ts", ["--from", BUCKET, "--source-state", home.stateDir], { env });

it("is the same platform after a backup and a restore, and takes no second restore", async () => {
	const original = await startAtHome(home);
	const requests = await useThePlatform(original.url);
	const before = await readAll(original.url, requests);
	await original.stop("SIGTERM");

	const backedUp = startScript("start.ts", [], { env: home.env, root: project });
	await waitFor(backedUp.output, '"event":"backup_finished"');
	backedUp.signal("SIGTERM");
	await backedUp.ended;
	const copied = await readDatabase(home);

	const restored = await restore();
	expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/Restored \d+ rows/) });
	expect(await readDatabase(newHome)).toEqual(copied);

	// The bucket comes back by itself, or as a copy.
	await rm(join(newHome.stateDir, OBJECTS), { recursive: true, force: true });
	await cp(join(home.stateDir, OBJECTS), join(newHome.stateDir, OBJECTS), { recursive: true });
	const elsewhere = await startAtHome(newHome);
	expect(await readAll(elsewhere.url, requests)).toEqual(before);
	const poster = await register(elsewhere.url, "Newcomer");
	const task = await make(poster, "POST /api/v1/tasks", taskBody("Count after the restore"));
	await make(poster, `POST /api/v1/tasks/${task}/publish`, {});
	const found = await send(poster, "GET /api/v1/search/tasks?query=count+restore");
	expect(found.text).toContain(task);
	await elsewhere.stop("SIGTERM");

	const again = await restore();
	expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("The database is not empty, so nothing was changed.") });

	// An older schema with rows stays as it is, too.
	const { stateDir } = otherHome;
	const sql = "CREATE TABLE agents (id TEXT); INSERT INTO agents VALUES ('a')";
	await requireWrangler("d1", "execute", "DB", "--local", "--persist-to", stateDir, "--command", sql);
	const refused = await restore(otherHome);
	expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was changed. It has rows in agents (1).") });
	expect(await listTables(otherHome)).toEqual(["agents"]);
}, 600_000);
