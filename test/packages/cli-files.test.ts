// The command line reads work, task files and its configuration from disk.
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseConnection, configPath, readConfig, writeConfig } from "../../packages/cli/src/core/config.ts";
import { clean, table } from "../../packages/cli/src/terminal/text.ts";
import { readWorkFolder } from "../../packages/cli/src/work/folder.ts";
import { makeSubmissionText } from "../../packages/cli/src/work/submission-template.ts";
import { parseTaskFile } from "../../packages/cli/src/work/task-file.ts";

let folder = "";

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "cli-files-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
	for (const [path, content] of Object.entries(files)) {
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await writeFile(join(folder, path), content);
	}
}

describe("a folder of work", () => {
	it("is read without what .gitignore and .bountyignore name, in every folder", async () => {
		await write({
			".gitignore": "*.log\nbuild/\n",
			".bountyignore": "!keep.log\nnotes.md\n",
			"main.js": "1",
			"a.log": "1",
			"keep.log": "1",
			"notes.md": "1",
			"build/out.js": "1",
			"sub/.gitignore": "*.tmp\n!a.log\n",
			"sub/a.log": "1",
			"sub/x.tmp": "1",
			"x.tmp": "1",
			"node_modules/m/index.js": "1",
			".bounty.json": "{}",
		});
		const { files, ignored } = await readWorkFolder(folder);
		expect([...files.keys()]).toEqual([".gitignore", "keep.log", "main.js", "sub/.gitignore", "sub/a.log", "x.tmp"]);
		expect(ignored).toBe(4);
	});

	it("leaves out what looks like a secret, and files with the API key in use", async () => {
		await write({ ".env": "A=1", ".env.example": "A=", "keys/server.pem": "x", "src/a.js": "const k = 'svc_sk_mine'", "main.js": "1" });
		const { files, secrets } = await readWorkFolder(folder, { apiKey: "svc_sk_mine" });
		expect([...files.keys()]).toEqual([".env.example", "main.js"]);
		expect(secrets).toEqual([".env", "keys/server.pem", "src/a.js"]);
		const all = await readWorkFolder(folder, { apiKey: "svc_sk_mine", includeSecrets: true });
		expect(all.files.size).toBe(5);
		expect(all.secrets).toEqual([]);
	});

	it("follows links to its own files only", async () => {
		await write({ "work/main.js": "1", "work/.env": "A=1", "outside/secret.txt": "x" });
		const work = join(folder, "work");
		await symlink("main.js", join(work, "inside.js"));
		await symlink("../outside/secret.txt", join(work, "outside.txt"));
		await symlink("../outside", join(work, "folder"));
		await symlink("/etc/passwd", join(work, "passwd"));
		await symlink(".env", join(work, "innocent.txt"));
		await symlink(".", join(work, "loop"));
		await symlink("missing", join(work, "broken"));
		const { files, links, secrets } = await readWorkFolder(work);
		expect([...files.keys()]).toEqual(["main.js", "inside.js"]);
		expect(links).toEqual(["broken", "folder", "loop", "outside.txt", "passwd"]);
		expect(secrets).toEqual([".env", "innocent.txt"]);
	});

	it("follows a link by the rules of its target's folder, not of its own", async () => {
		await write({
			"main.js": "1",
			"private/.gitignore": "*\n",
			"private/notes.txt": "x",
			"keyed.txt": "svc_sk_mine",
			"deep/folder/.gitignore": "*.tmp\n",
		});
		await symlink("private/notes.txt", join(folder, "innocent.txt"));
		await symlink("keyed.txt", join(folder, "linked.txt"));
		await symlink("../../main.js", join(folder, "deep/folder/shared.js"));
		const { files, links, secrets, totalBytes } = await readWorkFolder(folder, { apiKey: "svc_sk_mine" });
		expect([...files.keys()]).toEqual(["deep/folder/.gitignore", "main.js", "deep/folder/shared.js"]);
		expect(files.get("deep/folder/shared.js")).toEqual(files.get("main.js"));
		expect(links).toEqual(["innocent.txt"]);
		expect(secrets).toEqual(["keyed.txt", "linked.txt"]);
		expect(totalBytes).toBe(8);
	});

	it("must be a folder that exists", async () => {
		await expect(readWorkFolder(join(folder, "none"))).rejects.toMatchObject({
			exitCode: 2,
			message: expect.stringContaining("does not exist"),
		});
		await write({ file: "1" });
		await expect(readWorkFolder(join(folder, "file"))).rejects.toMatchObject({ exitCode: 2 });
	});
});

describe("a task file", () => {
	const valid = "version: 1\ntitle: T\nbudget_cents: 10000\ndeadline: 2026-12-24T10:00:00Z\n";

	it("gives the fields of a task, with dates as text", () => {
		expect(parseTaskFile(`${valid}criteria:\n  - name: A\n    weight: 100\n`, "task.yaml")).toEqual({
			title: "T",
			budget_cents: 10_000,
			deadline: "2026-12-24T10:00:00Z",
			criteria: [{ name: "A", weight: 100 }],
		});
	});

	it.each([
		["title: T", "version: 1"],
		[valid.replace("1", "2"), "version: 1"],
		["version: 1\ntitle: T", "budget_cents, deadline"],
		[`${valid}budget: 1\n`, "unknown fields: budget"],
		["a: [", "not valid YAML"],
		["- 1", "must contain fields"],
		[
			`${valid}a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
			"cannot be read",
		],
	])("is rejected with a reason: %j", (text, reason) => {
		expect(() => parseTaskFile(text, "task.yaml")).toThrow(reason);
	});
});

describe("the configuration", () => {
	it("is written at mode 0600, also over a file that others can read", async () => {
		const env = { XDG_CONFIG_HOME: folder };
		const path = await writeConfig(env, { url: "https://a.example", apiKey: "one" });
		await chmod(path, 0o644);
		await writeConfig(env, { url: "https://a.example", apiKey: "two" });
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
		expect(await readConfig(env)).toEqual({ url: "https://a.example", apiKey: "two" });
	});

	it("is where XDG says, and in .config without it", () => {
		expect(configPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/bounty/config.json");
		expect(configPath({ XDG_CONFIG_HOME: "relative", HOME: "/h" })).toBe("/h/.config/bounty/config.json");
	});

	it("says so when it cannot be understood", async () => {
		await write({ "bounty/config.json": "nonsense" });
		await expect(readConfig({ XDG_CONFIG_HOME: folder })).rejects.toMatchObject({ exitCode: 2 });
	});

	it("keeps its key for its own platform", () => {
		const stored = { url: "https://a.example", apiKey: "stored" };
		expect(chooseConnection(stored, { env: {}, url: undefined })).toEqual({
			url: "https://a.example",
			apiKey: "stored",
			keySource: "file",
		});
		expect(chooseConnection(stored, { env: {}, url: "https://b.example" }).apiKey).toBeUndefined();
		expect(chooseConnection(stored, { env: { BOUNTY_URL: "https://b.example" }, url: undefined }).apiKey).toBeUndefined();
		const env = { BOUNTY_API_KEY: "given", BOUNTY_URL: "https://b.example" };
		expect(chooseConnection(stored, { env, url: undefined })).toEqual({
			url: "https://b.example",
			apiKey: "given",
			keySource: "environment",
		});
		expect(() => chooseConnection({}, { env: {}, url: undefined })).toThrow("No platform is set.");
	});
});

describe("text for people", () => {
	it("has no control characters of others", () => {
		expect(clean("a\u001b[2Jb\u202ec\r\nd\te")).toBe("a[2Jbc\nd\te");
	});

	it("keeps whole ids in columns", () => {
		const id = "01a2025d-aa6d-7095-a981-f9ffb6b0d3de";
		expect(table((_, text) => text, ["ID", "N"], [[id, "a\nb"]])).toBe(`${"ID".padEnd(id.length)}  N\n${id}  a b`);
	});

	it("makes a SUBMISSION.md with every criterion, whose text cannot end its comment", () => {
		const criteria = [{ name: "Fast\n# x", description: "done --> <b>", weight: 100, position: 0, checks: [], anchors: null }];
		const text = makeSubmissionText({ title: "T\u001b[0m", criteria });
		expect(text).toContain("- **Fast # x** (100 %) <!-- criterion: done - -> <b> -->");
		expect(text).toContain("# T[0m");
		for (const name of ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"]) {
			expect(text).toContain(`## ${name}`);
		}
	});
});
