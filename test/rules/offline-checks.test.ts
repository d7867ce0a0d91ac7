// The offline judge answers checks by their words, with quotes. Better honest work gets a better score, and words without work get none.
import { describe, expect, it } from "vitest";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import type { CheckJudgement } from "../../src/ports/judge.ts";
import { criterion, evaluationRequest } from "../support/scripted-model.ts";

type Files = Readonly<Record<string, string>>;

async function judge(checks: readonly string[], files: Files): Promise<CheckJudgement> {
	const request = evaluationRequest({
		criteria: [criterion("All", checks)],
		files: Object.entries(files).map(([path, text]) => ({ path, text })),
	});
	const outcome = await offlineJudge.evaluate(request, { kept: null, keep: () => {}, requestId: null, onCall: () => {} });
	if (outcome.kind !== "finished") throw new Error("It waits.");
	return outcome.judgement;
}

const score = async (checks: readonly string[], files: Files) => (await judge(checks, files)).criteria[0]?.score ?? 0;

interface Pair {
	readonly checks: readonly string[];
	readonly better: Files;
	readonly worse: Files;
}

const PAIRS: Readonly<Record<string, Pair>> = {
	"a parser with and without quoted fields": {
		checks: ["`parse` handles quoted fields", "`parse` splits fields at the delimiter"],
		better: {
			"parse.js":
				'export function parse(line, delimiter = ",") {\n\tconst fields = [];\n\tlet field = "";\n\tlet quoted = false;\n\tfor (const char of line) {\n\t\tif (char === \'"\') quoted = !quoted;\n\t\telse if (char === delimiter && !quoted) {\n\t\t\tfields.push(field);\n\t\t\tfield = "";\n\t\t} else field += char;\n\t}\n\treturn [...fields, field];\n}\n',
		},
		worse: { "parse.js": "export function parse(line) {\n\treturn line;\n}\n" },
	},
	"tests and none": {
		checks: ["A test covers empty input", "`total` adds numbers"],
		better: {
			"total.py": "def total(numbers):\n    return sum(n for n in numbers)\n",
			"test_total.py": "from total import total\n\n\ndef test_empty_input():\n    assert total([]) == 0\n",
		},
		worse: { "total.py": "def total(numbers):\n    return sum(n for n in numbers)\n" },
	},
	"tests and empty tests with the right names": {
		checks: ["A test covers empty input", "A test covers trailing newlines"],
		better: {
			"test_csv.py":
				'def test_empty_input():\n    assert list(rows([])) == []\n\n\ndef test_trailing_newlines():\n    assert list(rows(["a\\n", "\\n"])) == [["a"]]\n',
		},
		worse: { "test_csv.py": "def test_empty_input():\n    pass\n\n\ndef test_trailing_newlines():\n    pass\n" },
	},
	"a guide and a heading": {
		checks: ["The guide explains how to install the program", "The guide shows an example of a configuration file"],
		better: {
			"guide.md":
				"# Start\nYou install the program with one command, npm install tool, and then start it.\n\nAn example of a complete configuration file comes next; copy it and change the port.\n\n```\nport: 80\n```\n",
		},
		worse: { "guide.md": "# Start\nSee the source for how everything is done in this project.\n" },
	},
	"a German rubric": {
		checks: ["`runde` rundet auf zwei Stellen", "Ein Test prüft negative Zahlen"],
		better: {
			"runde.py": "def runde(zahl, stellen=2):\n    faktor = 10 ** stellen  # zwei\n    return int(zahl * faktor + 0.5) / faktor\n",
			"test_runde.py": "def test_negative_zahlen_prüft():\n    assert runde(-1.5) == -1.5\n",
		},
		worse: { "runde.py": "def f(x):\n    return x\n" },
	},
	"binary and linear search": {
		checks: ["`search` halves the range with low and high", "`search` returns -1 for a missing value"],
		better: {
			"search.ts":
				"export function search(values: number[], value: number): number {\n\tlet low = 0;\n\tlet high = values.length - 1;\n\twhile (low <= high) {\n\t\tconst half = (low + high) >> 1;\n\t\tif (values[half] === value) return half;\n\t\tif (values[half] < value) low = half + 1;\n\t\telse high = half - 1;\n\t}\n\t// missing\n\treturn -1;\n}\n",
		},
		worse: { "search.ts": "export function search(values: number[], value: number): number {\n\treturn values.indexOf(value);\n}\n" },
	},
	"errors with and without a message": {
		checks: ["Malformed input is rejected with a clear error message"],
		better: {
			"read.py":
				'def read(text):\n    if malformed(text):\n        raise InputError(f"rejected: malformed input, message for line {text}")\n    return text.split()\n',
		},
		worse: { "read.py": "def read(text):\n    return text.split()\n" },
	},
	"a small sum and a padded worse one": {
		checks: ["`total` skips values that are no numbers", "`total` returns zero for an empty list"],
		better: {
			"total.js":
				'export function total(list) {\n\tif (list.length === 0) return zero;\n\treturn list.filter((value) => isNumber(value)).reduce((a, b) => a + b, 0);\n}\n\nconst isNumber = (value) => typeof value === "number";\n',
		},
		worse: {
			"total.js": `export function sum(list) {\n\treturn list[0] + list[1];\n}\n${Array.from({ length: 80 }, (_, n) => `export function helper${n}(a) {\n\treturn a.map((x) => x * ${n});\n}\n`).join("\n")}`,
		},
	},
	"a guide in own words and a list of keywords": {
		checks: ["The guide explains how to restore a backup", "The guide warns about an old backup"],
		better: {
			"guide.md":
				"To restore your data, stop the service and copy the newest backup over the folder.\n\nBe warned: a backup that is older than a week is too old, because keys change.\n",
		},
		worse: { "guide.md": "guide explains restore backup\nguide warns old backup\nrestore, backup, old, warns, guide, explains\n" },
	},
	"half done and done": {
		checks: ["`retry` waits longer before each attempt", "`retry` gives up after five attempts", "A test uses a fake clock"],
		better: {
			"retry.js":
				"export async function retry(run, clock) {\n\tfor (let attempt = 0; attempt < five; attempt += 1) {\n\t\ttry {\n\t\t\treturn await run();\n\t\t} catch {\n\t\t\tawait clock.wait(longer(attempt));\n\t\t}\n\t}\n\tthrow new GiveUp(attempts);\n}\n",
			"retry.test.js": 'test("waits", async () => {\n\tconst clock = fakeClock();\n\tawait retry(fail, clock);\n});\n',
		},
		worse: {
			"retry.js":
				"export async function retry(run) {\n\tfor (let attempt = 0; attempt < 5; attempt += 1) {\n\t\ttry {\n\t\t\treturn await run();\n\t\t} catch {}\n\t}\n}\n",
		},
	},
};

describe("the offline judge", () => {
	it("puts at least nine of ten small honest pairs in the right order", async () => {
		const results = await Promise.all(
			Object.entries(PAIRS).map(async ([name, { checks, better, worse }]) => ({
				name,
				better: await score(checks, better),
				worse: await score(checks, worse),
			})),
		);
		expect(results).toHaveLength(10);
		const wrong = results.filter((pair) => pair.better <= pair.worse);
		expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(1);
	});

	it("gives a complete answer at least 90", async () => {
		const scores = await Promise.all(
			Object.entries(PAIRS).map(async ([name, { checks, better }]) => ({ name, score: await score(checks, better) })),
		);
		const low = scores.filter((one) => one.score < 90);
		expect(low.length, JSON.stringify(low)).toBeLessThanOrEqual(2);
	});

	const checks = ["The parser handles quoted fields and escaped quotes", "Malformed input is rejected with a clear error message"];
	it.each<[string, Files]>([
		["the checks' own words in a document", { "notes.md": `${checks.join("\n")}\n` }],
		["the checks' own words in comments", { "parse.py": checks.map((check) => `# ${check}\n`).join("") }],
		["a text that only repeats them", { "parse.js": `const text = ${JSON.stringify(checks.join(" "))};\n` }],
		[
			"a list of their words",
			{
				"words.js": `const words = [${checks
					.join(" ")
					.split(" ")
					.map((word) => JSON.stringify(word))
					.join(", ")}];\n`,
			},
		],
		[
			"a README that claims everything",
			{ "README.md": "This parser handles quoted fields, and escaped quotes too. It rejects malformed input with clear errors.\n" },
		],
		[
			"empty functions with the right names",
			{
				"parse.py":
					"def parser_handles_quoted_fields():\n    pass\n\n\ndef malformed_input_is_rejected_with_clear_error_message():\n    pass\n",
			},
		],
		["nothing", {}],
	])("gives %s at most 25", async (_, files) => {
		expect(await score(checks, files)).toBeLessThanOrEqual(25);
	});

	it("quotes no half of a character", async () => {
		for (const name of ["parse", "parsed"]) {
			const line = `export const ${name} = read(quoted, fields, "${"😀".repeat(100)}");`;
			const [evidence] = (await judge(["`parse` handles quoted fields"], { "parse.js": line })).criteria[0]?.checks[0]?.evidence ?? [];
			expect(evidence?.quote.isWellFormed()).toBe(true);
			expect(line.startsWith(String(evidence?.quote))).toBe(true);
		}
	});

	it("gives the same answer every time, with real quotes, and says that no model has read the work", async () => {
		const asked = PAIRS["half done and done"]?.checks ?? [];
		const better: Files = PAIRS["half done and done"]?.better ?? {};
		const [first, second] = [await judge(asked, better), await judge(asked, better)];
		expect(first).toEqual(second);
		expect(first.criteria[0]?.reasoning).toContain("no model has read this");
		for (const { found, evidence } of first.criteria[0]?.checks ?? []) {
			expect(evidence.length > 0).toBe(found !== "no");
			for (const { path, start, quote } of evidence) expect(better[path]?.split("\n")[start - 1]).toContain(quote);
		}
	});
});
