// Tests the commands that read against a platform whose every text controls terminals, and against one that sends callers elsewhere.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { type LocalServer, sendJson, serveLocally } from "../support/local-server.ts";
import { OpenApiDocument } from "../support/openapi-document.ts";
import { PROJECT_ROOT } from "../support/samples.ts";
import { startScripted } from "./scripted.ts";

const ID = "01a230d9-a660-778d-8de6-c44c789d6478";
/** Clears the screen, sets a title, writes the clipboard, hides text and turns its direction, also with the single bytes of C1. */
const HOSTILE = "\u001b[2J\u009b2J\u001b]0;t\u0007\u009d52;c;eA==\u009c\u001b[8m\r\u0008\u202e\u2066";
/** A colour of the command line itself. */
const OWN_COLOUR = /\p{Cc}\[(?:0|1|2|3[1236])m/gu;
const CONTROL = /[^\P{Cc}\n\t]|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;

/** Each of these gets the example of its operation, with a hostile end of every text. */
const COMMANDS = [
	"whoami",
	"keys list",
	"keys create",
	"wallet show",
	"wallet challenge",
	"operators list",
	"tasks",
	"tasks --mine",
	`task ${ID}`,
	"search csv",
	"docs list",
	"docs read x",
	"docs search csv",
	`join ${ID} svc_invite_x`,
	"results",
	`results ${ID}`,
	`leaderboard ${ID}`,
	`pick ${ID} ${ID}`,
	`review ${ID}`,
	`files ${ID}`,
	`extend ${ID} 2030-01-01T00:00:00Z`,
	`close ${ID}`,
	`clone ${ID}`,
	`delete ${ID}`,
	"deal list",
	`deal show ${ID}`,
	`deal accept ${ID}`,
	"workspace list",
	"workspace get x",
	"workspace files",
	"workspace quota",
	"webhooks list",
	`webhooks log ${ID}`,
	`webhooks rotate ${ID}`,
	`webhooks test ${ID}`,
	`api getTask id=${ID}`,
];

let platform: LocalServer;
let env: Readonly<Record<string, string>>;
let folder = "";

beforeAll(async () => {
	const { operations } = new OpenApiDocument(JSON.parse(await readFile(join(PROJECT_ROOT, "docs/openapi.json"), "utf8")));
	const isAt = (template: string, path: string) => new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
	platform = await serveLocally(async (request, response) => {
		const path = (request.url ?? "").split("?", 1)[0] ?? "";
		const found = operations.filter((each) => each.method === request.method?.toLowerCase() && isAt(each.path, path));
		const literal = found.find((each) => each.path === path) ?? found[0];
		const success = Object.entries(literal?.responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
		const { example, examples = {} } = success?.content?.["application/json"] ?? {};
		sendJson(response, 200, poison(example ?? Object.values(examples)[0]?.value ?? {}));
	});
	env = { BOUNTY_URL: platform.url, BOUNTY_API_KEY: "svc_sk_test" };
	folder = await mkdtemp(join(tmpdir(), "hostile-platform-"));
});
afterAll(async () => {
	await platform?.stop();
	await rm(folder, { recursive: true, force: true });
});

/** Appends the hostile text to every text. No list has another page. */
function poison(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(poison);
	if (typeof value === "string") return value + HOSTILE;
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).map(([name, each]) => [
		name,
		name === "next_cursor" ? null : name === "has_more" ? false : poison(each),
	]);
	return Object.fromEntries(entries);
}

describe("a platform whose every text controls terminals", () => {
	it.each(COMMANDS)("does not control the terminal of bounty %s", async (command) => {
		for (const format of [[], ["--json"]]) {
			const { stdout, stderr } = await runCli([...command.split(" "), "--yes", ...format], { env, isTerminal: true });
			expect(stdout).not.toBe("");
			expect((stdout + stderr).replaceAll(OWN_COLOUR, "")).not.toMatch(CONTROL);
		}
	});
});

describe("a platform that sends callers elsewhere", () => {
	it("gives the key to no other host, by a redirect or by a signed URL", async () => {
		const elsewhere = await startScripted({ "GET /data": () => ({}) });
		const attachment = {
			id: "a",
			field: "input_spec",
			filename: "../../.bashrc",
			file_size: 2,
			content_type: "text/csv",
			description: null,
		};
		const redirect = ({ response }: { response: import("node:http").ServerResponse }) =>
			response.writeHead(307, { Location: `${elsewhere.url}/\u009b` }).end() && undefined;
		const hostile = await startScripted({
			"GET /api/v1/agent/whoami": redirect,
			[`POST /api/v1/tasks/${ID}/close`]: redirect,
			[`GET /api/tasks/${ID}/attachments`]: () => [{ ...attachment, download_url: `${elsewhere.url}/data` }],
		});
		try {
			const to = { env: { BOUNTY_URL: hostile.url, BOUNTY_API_KEY: "svc_sk_test" } };
			for (const args of [["whoami"], ["close", ID, "--yes"]]) {
				const { code, stderr } = await runCli(args, to);
				expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining("redirects") });
				expect(stderr).not.toMatch(CONTROL);
			}
			expect(elsewhere.calls()).toEqual([]);
			expect((await runCli(["download", ID, join(folder, "in")], to)).code).toBe(0);
			expect(elsewhere.received.map(({ call, headers }) => [call, headers.authorization])).toEqual([["GET /data", undefined]]);
			expect(await readdir(join(folder, "in"))).toEqual(["_.._.bashrc"]);
			expect(await readdir(folder)).toEqual(["in"]);
		} finally {
			await Promise.all([elsewhere.stop(), hostile.stop()]);
		}
	});

	it("writes nothing where a link leads that replaces a folder during the downloads", async () => {
		const [work, outside] = [join(folder, "race"), join(folder, "outside")];
		await mkdir(outside);
		const attachments = ["a.csv", "b.csv", "c.csv"].map((filename) => ({
			...{ id: filename, field: "input_spec", filename, file_size: 2, content_type: "text/csv", description: null },
			download_url: "",
		}));
		const replaceBy = async (path: string) => {
			await rename(path, `${path}-moved`).catch(() => undefined);
			await symlink(path.endsWith(".bountyignore") ? join(outside, "ignored") : outside, path);
			return {};
		};
		let replaced = join(work, "attachments");
		const hostile = await startScripted({
			[`GET /api/v1/tasks/${ID}`]: () => ({ id: ID, title: "T", criteria: [], required_sections: [] }),
			[`GET /api/tasks/${ID}/attachments`]: () => attachments,
			"GET /a.csv": () => ({}),
			"GET /b.csv": () => replaceBy(replaced),
			"GET /c.csv": () => ({}),
		});
		for (const attachment of attachments) attachment.download_url = `${hostile.url}/${attachment.filename}`;
		const to = { env: { BOUNTY_URL: hostile.url, BOUNTY_API_KEY: "svc_sk_test" } };
		try {
			for (const args of [
				["init", ID, work],
				["download", ID, join(folder, "in-race")],
			]) {
				const { code, stderr } = await runCli(args, to);
				expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("was replaced while files were written") });
				replaced = join(folder, "in-race");
			}
			replaced = join(folder, "second/.bountyignore");
			expect(await runCli(["init", ID, join(folder, "second")], to)).toMatchObject({ stderr: expect.stringContaining("is a link") });
			expect(await readdir(outside)).toEqual([]);
		} finally {
			await hostile.stop();
		}
	});
});
