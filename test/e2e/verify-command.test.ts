// Tests the command that verifies receipts and tasks as a user runs it: on files, with a platform that has ended.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { runCommandLine } from "../support/commands.ts";
import { startServer } from "../support/server.ts";

const POLL_MS = 100;
const MAX_POLLS = 200;
const FILES = { "SUBMISSION.md": "# What I Built\nA greeting\n", "main.js": "console.log('hello') // prints\n" };

type Json = Record<string, unknown>;

let folder = "";
let receipt: Json = {};
let shown: Json = {};
const path = (name: string) => join(folder, name);
const write = (name: string, value: unknown) => writeFile(path(name), typeof value === "string" ? value : JSON.stringify(value));
const verify = (...args: string[]) => runCommandLine([process.execPath, "scripts/verify.ts", ...args]);

/** Stores an evaluated submission, the keys and the task in files. The platform has ended when this returns. */
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "verify-command-"));
	const server = await startServer();
	try {
		const send = async (method: string, where: string, body: unknown = undefined, key = ""): Promise<Json> => {
			const headers = { "Content-Type": "application/json", ...(key === "" ? {} : { Authorization: `Bearer ${key}` }) };
			const response = await fetch(`${server.url}${where}`, {
				method,
				headers,
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			expect(response.status).toBeLessThan(300);
			return z.record(z.string(), z.unknown()).parse(await response.json());
		};
		const key = String((await send("POST", "/api/v1/agent/register-anonymous", {}))["api_key"]);
		const criteria = [
			{ name: "Greets", description: "prints hello", weight: 70 },
			{ name: "Files", description: "main", weight: 30 },
		];
		const deadline = new Date(Date.now() + 48 * 3_600_000).toISOString();
		const task = await send("POST", "/api/v1/tasks", { title: "Greeting", budget_cents: 10_000, deadline, criteria }, key);
		await send("POST", `/api/v1/tasks/${task["id"]}/publish`, {}, key);
		const { id } = await send("POST", `/api/v1/tasks/${task["id"]}/quick-submit`, { files: FILES }, key);
		const list = z.object({ data: z.array(z.record(z.string(), z.unknown())) });
		for (let poll = 0; poll < MAX_POLLS; poll += 1) {
			const [evaluation] = list.parse(await send("GET", `/api/v1/submissions/${id}/evaluations`, undefined, key)).data;
			if (evaluation !== undefined) {
				receipt = evaluation;
				break;
			}
			await new Promise((resolve) => setTimeout(resolve, POLL_MS));
		}
		await write("receipt.json", receipt);
		await write("keys.json", await send("GET", "/.well-known/jwks.json"));
		await write("task.json", await send("GET", `/api/v1/tasks/${task["id"]}`, undefined, key));
		shown = await send("GET", `/api/public/tasks/${task["id"]}`);
		await write("public.json", shown);
		await write("work.zip", "not the zip");
	} finally {
		await server.close();
	}
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("npm run verify", () => {
	it("says VALID and ends with 0 for an element of the list", async () => {
		const { code, stdout, stderr } = await verify(path("receipt.json"), "--keys", path("keys.json"), "--task", path("task.json"));
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/^VALID\n/);
		expect(stdout).toContain(`score       ${receipt["final_score"]}, by offline`);
		expect(stdout).toContain("recomputed  criteria, llm, final");
	});

	it("says what differs and ends with 1", async () => {
		await write("score.json", { ...receipt, final_score: 100 });
		await write("broken.json", JSON.stringify(receipt).slice(1));
		await write("changed.json", { ...shown, title: "Greetings" });
		await write("rubric.json", { criteria: [] });
		const cases: readonly (readonly [args: string[], message: string])[] = [
			[[path("score.json"), "--keys", path("keys.json")], "The file says 100 for final_score"],
			[[path("broken.json"), "--keys", path("keys.json")], "is not JSON"],
			[[path("keys.json"), "--keys", path("keys.json")], "not an element of the evaluations list"],
			[[path("receipt.json"), "--keys", path("keys.json"), "--task", path("changed.json")], "The task's SHA-256 is"],
			[[path("receipt.json"), "--keys", path("keys.json"), "--task", path("rubric.json")], "The task's file is not the detail of a task."],
			[["--task", path("changed.json")], "its task_sha256 says"],
			[["--task", path("public.json"), "--expect", "0".repeat(64)], "but 000"],
			[["--task", path("keys.json")], "not the detail or the public view of a task"],
			[[path("receipt.json"), "--keys", path("keys.json"), "--artifact", path("work.zip")], "The artifact's SHA-256 is"],
		];
		for (const [args, message] of cases) {
			const { code, stdout, stderr } = await verify(...args);
			expect({ code, stdout, message }).toEqual({ code: 1, stdout: "", message });
			expect(stderr).toContain("NOT VALID");
			expect(stderr).toContain(message);
		}
	});

	it("refuses an edited task whose digest was computed anew, as soon as there is a receipt or an earlier value", async () => {
		const edited = { ...shown, title: "Greetings" };
		await write("edited.json", edited);
		const told = (await verify("--task", path("edited.json"))).stderr;
		const forged = /SHA-256 is ([0-9a-f]{64})/.exec(told)?.[1] ?? "";
		await write("forged.json", { ...edited, task_sha256: forged });
		expect(await verify("--task", path("forged.json"))).toMatchObject({
			code: 0,
			stdout: `task        ${forged}\nconsistent with itself; compare with a receipt or an earlier copy\n`,
		});
		const receiptArgs = ["--receipt", path("receipt.json"), "--keys", path("keys.json")];
		for (const args of [receiptArgs, ["--expect", String(shown["task_sha256"])]]) {
			const { code, stdout, stderr } = await verify("--task", path("forged.json"), ...args);
			expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
			expect(stderr).toContain(`NOT VALID\nThe task's SHA-256 is ${forged}`);
			expect(stderr).toContain(String(shown["task_sha256"]));
		}
		const attached = await verify("--task", path("edited.json"), ...receiptArgs);
		expect(attached).toMatchObject({ code: 1, stdout: "" });
	});

	it("ends with 2 if its arguments or files are wrong", async () => {
		const cases: readonly (readonly [args: string[], message: string])[] = [
			[[], "Usage: npm run verify"],
			[[path("receipt.json")], "Usage: npm run verify"],
			[[path("receipt.json"), path("receipt.json"), "--keys", path("keys.json")], "Usage: npm run verify"],
			[["--task", path("task.json"), "--expect", "abc"], "64 hexadecimal digits"],
			[["--task", path("task.json"), "--receipt", path("receipt.json")], "Usage: npm run verify"],
			[["--task", path("task.json"), "--keys", path("keys.json")], "Usage: npm run verify"],
			[[path("receipt.json"), "--key", path("keys.json")], "Unknown option"],
			[[path("missing.json"), "--keys", path("keys.json")], "cannot be read"],
			[[path("receipt.json"), "--keys", path("missing.json")], "cannot be read"],
		];
		for (const [args, message] of cases) {
			const { code, stderr } = await verify(...args);
			expect({ code, message }).toEqual({ code: 2, message });
			expect(stderr).toContain(message);
		}
	});
});
