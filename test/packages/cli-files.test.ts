// The command line reads task files, chooses a platform and prints texts.
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseTaskId } from "../../packages/cli/src/commands/define.ts";
import { chooseConnection } from "../../packages/cli/src/core/config.ts";
import { commandFor } from "../../packages/cli/src/terminal/hints.ts";
import { clean, cleanPainted, formatWhen, table, toSafeJson } from "../../packages/cli/src/terminal/text.ts";
import { localFileName, localFolderName } from "../../packages/cli/src/work/local-names.ts";
import { makeSubmissionText } from "../../packages/cli/src/work/submission-template.ts";
import { parseTaskFile } from "../../packages/cli/src/work/task-file.ts";

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
		[`${valid}${"\r\n".repeat(101)}category: a\n`, "more than 100 empty lines in a row"],
		[
			`${valid}a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
			"cannot be read",
		],
	])("is rejected with a reason: %j", (text, reason) => {
		expect(() => parseTaskFile(text, "task.yaml")).toThrow(reason);
	});
});

describe("the URL of a task", () => {
	const id = "01a230d9-a660-778d-8de6-c44c789d6478";

	it.each([
		id,
		`https://bounties.example/tasks/${id}`,
		`https://bounties.example/console/tasks/${id}?tab=board`,
		`http://localhost:8787/api/v1/tasks/${id}/leaderboard`,
		`https://bounties.example/console/tasks/${id}#svc_invite_1`,
	])("%s identifies the task", (text) => {
		expect(parseTaskId(text)).toBe(id);
	});

	it("is not found in other texts", () => {
		for (const text of ["x", `tasks/${id}`, `https://bounties.example/deals/${id}`, `https://bounties.example/?next=/tasks/${id}`]) {
			expect(parseTaskId(text)).toBe(text);
		}
	});
});

describe("the configuration", () => {
	const stored = {
		current: "default",
		profiles: {
			default: { url: "https://a.example", apiKey: "stored" },
			work: { url: "https://w.example", apiKey: "of work" },
		},
		broken: {},
	};
	const none = { current: null, profiles: {}, broken: {} };

	it("sends its key only to its own platform", () => {
		expect(chooseConnection(stored, { env: {} })).toEqual({
			url: "https://a.example",
			apiKey: "stored",
			keySource: "file",
			profile: "default",
		});
		expect(chooseConnection(stored, { env: {}, url: "https://b.example" }).apiKey).toBeUndefined();
		expect(chooseConnection(stored, { env: { BOUNTY_URL: "https://b.example" } }).apiKey).toBeUndefined();
		const env = { BOUNTY_API_KEY: "given", BOUNTY_URL: "https://b.example" };
		expect(chooseConnection(stored, { env })).toEqual({ url: "https://b.example", apiKey: "given", keySource: "environment" });
		expect(() => chooseConnection(none, { env: {} })).toThrow("No platform is set.");
	});

	it("has profiles, which a flag, the environment or a platform's URL chooses", () => {
		const work = { url: "https://w.example", apiKey: "of work", keySource: "file", profile: "work" };
		expect(chooseConnection(stored, { env: {}, profile: "work" })).toEqual(work);
		expect(chooseConnection(stored, { env: { BOUNTY_PROFILE: "work" } })).toEqual(work);
		expect(chooseConnection(stored, { env: {}, url: "https://w.example" })).toEqual(work);
		// An explicit option has priority over the environment.
		const other = { BOUNTY_URL: "https://b.example", BOUNTY_API_KEY: "given" };
		expect(chooseConnection(stored, { env: other, profile: "work" })).toEqual(work);
		expect(chooseConnection(stored, { env: {}, profile: "work", url: "https://b.example" }).apiKey).toBeUndefined();
		for (const profile of ["nobody", "toString"]) expect(() => chooseConnection(stored, { env: {}, profile })).toThrow("no profile");
	});

	it("is chosen by a task's URL, which sends no key to an unknown platform", () => {
		const choose = (taskUrl: string, env = {}, from: Parameters<typeof chooseConnection>[0] = stored) =>
			chooseConnection(from, { env, taskUrl });
		expect(choose("https://w.example/tasks/1")).toMatchObject({ url: "https://w.example", apiKey: "of work" });
		expect(choose("https://a.example/tasks/1", { BOUNTY_API_KEY: "given" })).toMatchObject({ url: "https://a.example", apiKey: "given" });
		for (const from of [stored, none]) {
			expect(choose("https://evil.example/tasks/1", {}, from)).toMatchObject({ url: "https://evil.example", apiKey: undefined });
			expect(choose("https://evil.example/tasks/1", { BOUNTY_API_KEY: "given" }, from).apiKey).toBeUndefined();
		}
		expect(() => choose("https://evil.example/tasks/1", { BOUNTY_URL: "https://a.example" })).toThrow(
			"The task is on https://evil.example",
		);
	});
});

describe("text for people", () => {
	it("has no control characters of others", () => {
		expect(clean("a\u001b[2Jb\u202ec\r\nd\te")).toBe("a[2Jbc\nd\te");
	});

	it("has them as escapes in JSON, with the same meaning", () => {
		const value = { "\u009b2J": "a\u001b[2J\u202eb\u2066\u200f\u0085é" };
		const json = toSafeJson(value);
		expect(json).toBe('{"\\u009b2J":"a\\u001b[2J\\u202eb\\u2066\\u200f\\u0085é"}');
		expect(JSON.parse(json)).toEqual(value);
	});

	it("keeps its own colours, and no other control sequence", () => {
		expect(cleanPainted("\u001b[1mID\u001b[0m \u001b[8mhidden \u001b[2J\u009b2J \u202eb")).toBe("\u001b[1mID\u001b[0m [8mhidden [2J2J b");
	});

	it("shows times from now, and distant ones as dates", () => {
		const now = Date.parse("2026-11-23T12:00:00.000Z");
		expect(formatWhen("2026-11-25T16:30:00.000Z", now)).toBe("in 2 d 4 h");
		expect(formatWhen("2026-11-23T11:55:00.000Z", now)).toBe("5 min ago");
		expect(formatWhen("2027-11-23T12:00:00.000Z", now)).toBe("2027-11-23");
		expect([formatWhen(null, now), formatWhen("soon", now)]).toEqual([null, "soon"]);
	});

	it("says which command sends a request", () => {
		const id = "01a2025d-aa6d-7095-a981-f9ffb6b0d3de";
		expect(commandFor("GET", `https://bounties.example/api/v1/tasks/${id}?fields=status`)).toBe(`bounty task ${id}`);
		expect(commandFor("POST", `/api/v1/tasks/${id}/quick-submit`)).toBe(`bounty submit --task ${id}`);
		expect(commandFor("POST", `/api/v1/submissions/${id}/request_re_eval`)).toBe(`bounty api requestReEvaluation id=${id}`);
		expect(commandFor("GET", "/api/v1/tasks/$(reboot)")).toBeNull();
		expect(commandFor("GET", "/elsewhere")).toBeNull();
	});

	it("keeps whole ids in columns", () => {
		const id = "01a2025d-aa6d-7095-a981-f9ffb6b0d3de";
		expect(table((_, text) => text, ["ID", "N"], [[id, "a\nb"]])).toBe(`${"ID".padEnd(id.length)}  N\n${id}  a b`);
	});

	it("makes a SUBMISSION.md with every criterion, whose text cannot end its comment", () => {
		const criteria = [
			{
				...{ name: "Fast\n# x", description: "done --> <b>", weight: 100, position: 0, final_only: false },
				...{ evidence: "work" as const, checks: [], whole_checks: [] },
			},
		];
		const text = makeSubmissionText({ title: "T\u001b[0m", criteria });
		expect(text).toContain("- **Fast # x** (100 %) <!-- criterion: done - -> <b> -->");
		expect(text).toContain("# T[0m");
		for (const name of ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"]) {
			expect(text).toContain(`## ${name}`);
		}
	});
});

describe("the name of a file from a platform", () => {
	const HOSTILE = [
		...["../../.ssh/authorized_keys", "..", ".", "", "/etc/passwd", "C:\\Windows\\x", "a/b", ".bashrc", "-rf", "NUL", "con.txt", "com1"],
		...[
			"aux.tar.gz",
			"x. ",
			"x...",
			"a\u0000b",
			"a\nb",
			"\u202Egpj.exe",
			"file:stream",
			"~",
			"a".repeat(1_000),
			`${"ä".repeat(500)}.csv`,
			`${"漢".repeat(120)}.csv`,
			`x${"\u{20000}".repeat(120)}`,
			"LPT1 .txt",
			". . .",
		],
	];

	it("stays in its folder, is not a device, and fits every file system", () => {
		for (const wanted of HOSTILE) {
			for (const name of [localFileName(wanted, []), localFolderName({ title: wanted, id: wanted })]) {
				expect(dirname(join("/work", name)), wanted).toBe("/work");
				expect(name).toMatch(/^[\p{L}\p{N}_(][\p{L}\p{N}._ ()-]*$/u);
				expect(name).not.toMatch(/[. ]$|^(con|prn|aux|nul|com\d|lpt\d) *(\.|$)/i);
				expect(Buffer.byteLength(name)).toBeLessThan(255);
			}
		}
		for (const letter of ["ä", "漢"]) expect(localFileName(`${letter.repeat(500)}.csv`, [])).toMatch(/\.csv$/);
	});

	it("is another one where systems see the same file", () => {
		const names: string[] = [];
		for (const wanted of ["Data.csv", "data.CSV", "caf\u00e9.txt", "cafe\u0301.txt", "data.csv", "2-data.csv"]) {
			names.push(localFileName(wanted, names));
		}
		const seen = names.map((name) => name.normalize("NFC").toLowerCase());
		expect(new Set(seen).size).toBe(names.length);
		expect(names[0]).toBe("Data.csv");
	});

	it("costs time as its length", () => {
		const timeOf = (length: number) => {
			const wanted = `${". ".repeat(length)}x${". -".repeat(length)}`;
			const begun = performance.now();
			for (let round = 0; round < 5; round += 1) localFileName(wanted, []);
			return performance.now() - begun;
		};
		timeOf(20_000);
		expect(timeOf(160_000) / Math.max(1, timeOf(20_000))).toBeLessThan(40);
	});

	it("of a folder is the task's title, or its id", () => {
		expect(localFolderName({ title: "Merge bank exports!", id: "1" })).toBe("merge-bank-exports");
		expect(localFolderName({ title: "合并", id: "01a2" })).toBe("01a2");
	});
});
