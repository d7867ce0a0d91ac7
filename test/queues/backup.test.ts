// The daily backup, run by run: what it copies, where it goes on, and which runs have nothing to do.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { BACKUPS, LATEST_KEY, latestSchema, type Manifest, manifestSchema, type Section } from "../../src/features/backup/schemas.ts";
import { type BackupLimits, backUp } from "../../src/features/backup/service.ts";
import { archivedLine } from "../../src/features/task-archive/rules.ts";
import { archiveTasks, bringBack } from "../../src/features/task-archive/service.ts";
import { closeTask } from "../../src/features/tasks/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { queryAll } from "../support/storage.ts";
import { createWorld } from "../support/world.ts";

declare global {
	namespace Cloudflare {
		interface Env {
			readonly TEST_BACKUPS: R2Bucket;
		}
	}
}

const DAY_MS = 24 * 3_600_000;
const SMALL_STEPS: BackupLimits = { partBytes: 2_000, readsPerRun: 7, runMs: 20_000 };
const backups = env.TEST_BACKUPS;

beforeEach(async () => {
	const { objects } = await backups.list();
	if (objects.length > 0) await backups.delete(objects.map(({ key }) => key));
});

async function readJson(key: string): Promise<unknown> {
	return (await backups.get(key))?.json();
}

async function readNewest(): Promise<Manifest | null> {
	const latest = latestSchema.safeParse(await readJson(LATEST_KEY));
	return latest.success ? manifestSchema.parse(await readJson(`${BACKUPS}${latest.data.id}/manifest.json`)) : null;
}

async function readRows(manifest: Manifest, { parts }: Section): Promise<Record<string, unknown>[]> {
	const texts = parts.map(async ({ path }) => {
		const part = await backups.get(`${BACKUPS}${manifest.id}/${path}`);
		if (part === null) throw new Error(`${path} is missing.`);
		return new Response(part.body.pipeThrough(new DecompressionStream("gzip"))).text();
	});
	const lines = (await Promise.all(texts)).join("").split("\n");
	return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** Runs until the day's backup is complete, and says how many runs that took. */
async function finishBackup(deps: Deps, limits?: BackupLimits): Promise<{ manifest: Manifest; runs: number }> {
	const before = (await readNewest())?.id;
	for (let runs = 1; runs < 200; runs += 1) {
		await backUp(deps, limits);
		const manifest = await readNewest();
		if (manifest !== null && manifest.id !== before) return { manifest, runs };
	}
	throw new Error("The backup does not end.");
}

interface Moving {
	readonly taskId: string;
	readonly submissionId: string;
}

type Move = (deps: Deps, moving: Moving) => Promise<void>;

async function archiveNow(deps: Deps, { taskId }: Moving): Promise<void> {
	await env.DB.prepare("update submissions set updated_at = 1 where task_id = ?").bind(taskId).run();
	await env.DB.prepare("update tasks set quiet_since = 1 where id = ?").bind(taskId).run();
	await archiveTasks(deps);
	expect(await queryAll("select 1 from task_archives where task_id = ? and key is not null", taskId)).toHaveLength(1);
}

type Rows = readonly Readonly<Record<string, unknown>>[];

const MOVING = [
	["evaluations", "submission_id"],
	["evaluation_jobs", "submission_id"],
	["state_changes", "subject_id"],
] as const;

function readMoving(submissionId: string): Promise<Rows[]> {
	return Promise.all(
		MOVING.map(([table, column]) => queryAll<Rows[number]>(`select * from ${table} where ${column} = ? order by 1, 2`, submissionId)),
	);
}

/** What a reader of a restored platform finds about a submission: in the object of its task's archive if there is one, or in D1. */
async function readRestored(manifest: Manifest, { taskId, submissionId }: Moving): Promise<Rows[]> {
	const returned = manifest.returned === undefined ? [] : await readRows(manifest, manifest.returned);
	const rowsOf = async (table: string): Promise<Rows> => {
		const section = manifest.tables.find(({ name }) => name === table);
		const copied = section === undefined ? [] : await readRows(manifest, section);
		const again = returned.filter((line) => line["table"] === table).map((line) => JSON.parse(String(line["row"])));
		return table === "task_archives" ? [...again, ...copied] : [...copied, ...again];
	};
	const part = (await rowsOf("task_archives")).find((row) => row["task_id"] === taskId);
	const object = part?.["key"] == null ? null : await env.BUCKET.get(String(part["key"]));
	if (part?.["key"] != null && object === null) throw new Error(`${part["key"]} is gone.`);
	const archived = object === null ? null : archivedLine.parse(JSON.parse(await object.text()));
	return Promise.all(
		MOVING.map(async ([table, column]) => {
			const rows = archived === null ? (await rowsOf(table)).filter((row) => row[column] === submissionId) : archived[table];
			return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
		}),
	);
}

describe("the daily backup", () => {
	it("has every row of every table, and every object, after many small runs as after one", async () => {
		const poster = await registerAgent();
		for (let count = 0; count < 5; count += 1) await openTask(poster);
		await env.BUCKET.put("attachments/some/file", "hello");
		const world = createWorld();
		const deps = world.deps({ backups });
		const slow = await finishBackup(deps, SMALL_STEPS);
		world.clock.advance(DAY_MS);
		const quick = await finishBackup(deps);
		expect(slow.runs).toBeGreaterThan(5);
		expect(quick.runs).toBe(1);
		for (const { manifest } of [slow, quick]) {
			for (const section of manifest.tables) {
				const rows = await queryAll(`select * from "${section.name}"`);
				const copied = await readRows(manifest, section);
				expect(section.rows).toBe(rows.length);
				expect(new Set(copied.map((row) => JSON.stringify(row)))).toEqual(new Set(rows.map((row) => JSON.stringify(row))));
			}
			expect(manifest.tables.find(({ name }) => name === "tasks")?.rows).toBe(5);
			expect(await readRows(manifest, manifest.objects)).toContainEqual(expect.objectContaining({ key: "attachments/some/file", size: 5 }));
		}
	});

	it("is made once a day, and goes after its retention", async () => {
		const world = createWorld();
		const written: unknown[] = [];
		const metrics: Deps["metrics"] = { write: (kind) => written.push(kind) };
		const deps = world.deps({ backups, metrics });
		const { manifest } = await finishBackup(deps);
		await backUp(deps);
		expect((await readNewest())?.id).toBe(manifest.id);
		expect(written).toEqual(["backup"]);
		world.clock.advance(DAY_MS);
		const second = await finishBackup(deps);
		expect(second.manifest.id > manifest.id).toBe(true);
		world.clock.advance(deps.config.backupRetentionMs - DAY_MS + 1);
		const third = await finishBackup(deps);
		const { delimitedPrefixes } = await backups.list({ prefix: BACKUPS, delimiter: "/" });
		expect(delimitedPrefixes.toSorted()).toEqual([second, third].map(({ manifest: { id } }) => `${BACKUPS}${id}/`));
	});

	it("is made by one of several parallel runs, and continued after a crash", async () => {
		await openTask(await registerAgent());
		const world = createWorld();
		const deps = world.deps({ backups });
		let failures = 0;
		const broken = new Proxy(backups, {
			get(target, name) {
				if (name !== "put") return Reflect.get(target, name).bind(target);
				return (key: string, ...rest: [string]) => {
					if (key.includes("/tasks/")) {
						failures += 1;
						throw new Error("R2 is away.");
					}
					return target.put(key, ...rest);
				};
			},
		});
		await expect(backUp({ ...deps, backups: broken })).rejects.toThrow("R2 is away.");
		const first = (await backups.list({ prefix: BACKUPS })).objects.map(({ key }) => key);
		expect(first.length).toBeGreaterThan(0);
		await Promise.all([backUp(deps), backUp(deps), backUp(deps)]);
		const manifest = await readNewest();
		expect(failures).toBe(1);
		const named = manifest === null ? [] : [...manifest.tables, manifest.objects].flatMap(({ parts }) => parts.map(({ path }) => path));
		const stored = (await backups.list({ prefix: `${BACKUPS}${manifest?.id}/` })).objects.map(({ key }) =>
			key.split("/").slice(2).join("/"),
		);
		expect(stored.toSorted()).toEqual([...named, "manifest.json"].toSorted());
	});

	it("begins anew when the schema has changed meanwhile", async () => {
		await openTask(await registerAgent());
		const world = createWorld();
		const deps = world.deps({ backups });
		await backUp(deps, SMALL_STEPS);
		const [begun] = (await backups.list({ prefix: BACKUPS, delimiter: "/" })).delimitedPrefixes;
		await env.DB.exec("insert into d1_migrations (name) values ('9999_later.sql')");
		world.clock.advance(60_000);
		const { manifest } = await finishBackup(deps, SMALL_STEPS);
		expect(manifest.migration).toBe("9999_later.sql");
		expect(begun).not.toBe(`${BACKUPS}${manifest.id}/`);
	});

	const MOVES: Readonly<Record<string, { readonly before: Move; readonly meanwhile: Move }>> = {
		archived: { before: (deps, { submissionId }) => bringBack(deps, submissionId), meanwhile: archiveNow },
		"brought back": { before: archiveNow, meanwhile: (deps, { submissionId }) => bringBack(deps, submissionId) },
	};

	it.each(Object.entries(MOVES))(
		"has every row of a task that is %s meanwhile, at whatever moment",
		{ timeout: 60_000 },
		async (_, { before, meanwhile }) => {
			const world = createWorld();
			const poster = await registerAgent();
			const taskId = await openTask(poster);
			const { id: submissionId, jobId } = await world.submit(await registerAgent(), taskId);
			await world.deliver("bounty-platform-evaluation", [{ jobId }]);
			await poster.call(closeTask, { params: { id: taskId } });
			const rows = await readMoving(submissionId);
			expect(rows.map(({ length }) => length)).toEqual([1, 1, 1]);
			const deps = world.deps({ backups });
			for (let moment = 0, isOver = false; !isOver; moment += 3) {
				world.clock.advance(DAY_MS);
				await before(deps, { taskId, submissionId });
				const known = (await readNewest())?.id;
				for (let runs = 0; runs < moment; runs += 1) await backUp(deps, SMALL_STEPS);
				isOver = (await readNewest())?.id !== known;
				await meanwhile(deps, { taskId, submissionId });
				if (isOver) break;
				const { manifest } = await finishBackup(deps, SMALL_STEPS);
				expect(await readRestored(manifest, { taskId, submissionId }), `after ${moment} runs`).toEqual(rows);
				expect(moment).toBeLessThan(100);
			}
		},
	);

	it("does nothing without a bucket for backups", async () => {
		const deps = createWorld().deps({ backups: null });
		await backUp(deps);
		expect(deps.db.use.calls).toBe(0);
	});
});
