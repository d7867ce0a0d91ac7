// The offline judge cannot understand texts, so a worse work must not win by repeating the rubric.
import { describe, expect, it } from "vitest";
import { isClaim } from "../../src/features/judging/artifacts/kinds.ts";
import { checksByRules } from "../../src/features/judging/checks/criterion-checks.ts";
import { offlineJudge } from "../../src/features/judging/engine/offline.ts";
import type { JudgeRequest } from "../../src/ports/judge.ts";
import { judgeRequest } from "../support/judging.ts";

const CRITERIA = [
	{ name: "Correctness", description: "The parser handles quoted fields, escaped quotes, empty lines and custom delimiters." },
	{ name: "Robustness", description: "Malformed input is rejected with a clear error message. Large files are streamed." },
	{ name: "Tests", description: "Unit tests cover edge cases such as empty input and trailing newlines." },
];
const RUBRIC = CRITERIA.map(({ name, description }) => `${name} ${description}`).join(" ");
const WORDS = [...new Set(RUBRIC.match(/[A-Za-z]{3,}/g))];

type Files = Readonly<Record<string, string>>;

/** This work runs, but has few of the rubric's words. */
const HONEST: Files = {
	"csv.py": `import sys


class BadRow(ValueError):
    pass


def cells(row, sep=","):
    out, cell, inside = [], "", False
    for char in row:
        if char == '"':
            inside = not inside
        elif char == sep and not inside:
            out.append(cell)
            cell = ""
        else:
            cell += char
    if inside:
        raise BadRow(row)
    out.append(cell)
    return out


def rows(stream, sep=","):
    for row in stream:
        stripped = row.rstrip("\\n")
        if stripped:
            yield cells(stripped, sep)


if __name__ == "__main__":
    for row in rows(sys.stdin):
        print(row)
`,
	"test_csv.py": `from csv import cells, rows, BadRow
import pytest


def test_plain():
    assert cells("a,b") == ["a", "b"]


def test_quotes():
    assert cells('"a,b",c') == ["a,b", "c"]


def test_nothing():
    assert list(rows([""])) == []


def test_open():
    with pytest.raises(BadRow):
        cells('"a')
`,
};

const STUB = "def parse(text):\n    return text\n";
const sections = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"];
const SUBMISSION = sections.map((section) => `# ${section}\n${RUBRIC}\n`).join("\n");

const STUFFED: Readonly<Record<string, Files>> = {
	"prose in every section": { "csv.py": STUB, "SUBMISSION.md": SUBMISSION, "README.md": RUBRIC.repeat(50) },
	"a licence": { "csv.py": STUB, LICENSE: RUBRIC, "NOTICE.txt": RUBRIC },
	comments: { "csv.py": `${WORDS.map((word) => `# ${word}: ${RUBRIC}`).join("\n")}\n${STUB}` },
	"comments that look like code": {
		"csv.js": `${WORDS.map((word) => `// ${word}(value);`).join("\n")}\nexport const parse = (text) => text;\n`,
	},
	"single texts that are printed": { "csv.js": WORDS.map((word) => `print("${word}+${word}");`).join("\n") },
	"a docstring": { "csv.py": `"""${RUBRIC}"""\n${STUB}` },
	"a text of many lines": { "csv.py": `WORDS = """\n${WORDS.join("\n")}\n${RUBRIC}\n"""\n${STUB}` },
	"a list of texts": { "csv.py": `WORDS = ${JSON.stringify(WORDS)}\n${STUB}` },
	"a text on each line": { "csv.py": `WORDS = [\n${WORDS.map((word) => `    "${word}",`).join("\n")}\n]\n${STUB}` },
	"texts that are printed": { "csv.js": `${WORDS.map((word) => `console.log("${word} ${RUBRIC}");`).join("\n")}\n` },
	"a template": { "csv.js": `const text = \`\n${WORDS.join("\n")}\n\`;\nexport const parse = (text) => text;\n` },
	"a list of names": { "csv.js": `const ${WORDS.join(", ")};\nexport const parse = (text) => text;\n` },
	"functions that do nothing": { "csv.js": WORDS.map((word) => `export function ${word}(value) {}`).join("\n") },
	"functions that return nothing": { "csv.py": WORDS.map((word) => `def ${word}(value):\n    pass\n`).join("\n") },
	"names for numbers": { "csv.js": WORDS.map((word, index) => `const ${word} = ${index};`).join("\n") },
	data: {
		"csv.py": STUB,
		"keywords.json": JSON.stringify({ keywords: WORDS }),
		"words.csv": WORDS.join("\n"),
		"a.yaml": `- ${WORDS.join("\n- ")}\n`,
	},
	"an unknown ending": { "csv.py": STUB, "work.zzz": WORDS.join("\n"), "more.zzz": RUBRIC },
	"a vendored library": {
		"csv.py": STUB,
		"node_modules/x/index.js": WORDS.map((word) => `export function ${word}(value) { return run(value); }`).join("\n"),
	},
	"a manifest": { "csv.py": STUB, "package.json": JSON.stringify({ name: "x", description: RUBRIC, keywords: WORDS }, null, 2) },
	"encoded data": {
		"csv.js": `export const data = ${"x".repeat(100)}${WORDS.join("").repeat(200)};\nexport const parse = (text) => text;\n`,
	},
	"names of files": Object.fromEntries([["csv.py", STUB], ...WORDS.map((word) => [`src/${word}.py`, "pass\n"] as const)]),
	"scores of its own": {
		"csv.py": STUB,
		"scores.json": JSON.stringify({ score: 100, level: 5, criteria: CRITERIA.map(({ name }) => ({ name, score: 100 })) }),
	},
	"a report of tests": {
		"csv.py": STUB,
		"junit.xml": `<testsuites><testsuite name="all" tests="${WORDS.length}">${WORDS.map((word) => `<testcase name="${word}"/>`).join("\n")}</testsuite></testsuites>`,
	},
};

async function scoreOf(files: Files, evidence: JudgeRequest["criterion"]["evidence"] = "work", criteria = CRITERIA): Promise<number> {
	const judged = Object.entries(files).map(([path, text]) => ({ path, text, isClaim: isClaim(path, text) }));
	const missingSections = "SUBMISSION.md" in files ? [] : sections;
	const scores = criteria.map(async (criterion) => {
		const checks = checksByRules(criterion);
		const request: JudgeRequest = judgeRequest({
			criterion: { ...criterion, evidence, checks, anchors: null },
			files: judged,
			missingSections,
		});
		return (await offlineJudge.judgeCriterion(request)).score;
	});
	const all = await Promise.all(scores);
	return all.reduce((sum, score) => sum + score, 0) / all.length;
}

describe("the offline judge", () => {
	it.each(Object.entries(STUFFED))("gives a stub with the rubric's words in %s less than work without them", async (_, files) => {
		expect(await scoreOf(files)).toBeLessThan((await scoreOf(HONEST)) - 5);
	});

	it.each(Object.entries(STUFFED))(
		"gives better work more, also when both have the rubric's words in %s",
		async (_, { "csv.py": _py, "csv.js": _js, ...files }) => {
			expect(await scoreOf({ ...HONEST, ...files })).toBeGreaterThan(await scoreOf({ "csv.py": STUB, ...files }));
		},
	);

	it("gives nothing for documents added to the same work, except for the sections of SUBMISSION.md", async () => {
		const documented = await scoreOf({ ...HONEST, "SUBMISSION.md": "" });
		expect(await scoreOf({ ...HONEST, "SUBMISSION.md": SUBMISSION, "NOTES.md": RUBRIC })).toBe(documented);
	});

	it("treats documents as work if a criterion asks for them, but neither lists nor copies of the rubric", async () => {
		const criteria = [{ name: "Guide", description: "Explains installation, configuration and troubleshooting of the proxy." }];
		const guide = `# Guide\n\nThe installation takes one command: run make install as root and wait for it.\n\nThe configuration of the proxy is one file, which lies beside the binary.\n\nFor troubleshooting, start it with the flag for verbose logs and read the last lines.\n`;
		const honest = await scoreOf({ "GUIDE.md": guide }, "any", criteria);
		const list =
			"# Installation\n# Configuration\nexplains installation configuration troubleshooting proxy\n- troubleshooting\n- proxy\n".repeat(20);
		for (const stuffed of [list, criteria[0]?.description ?? ""]) {
			expect(await scoreOf({ "GUIDE.md": stuffed }, "any", criteria)).toBeLessThan(honest - 10);
		}
	});

	it("finds words in names as programs write them", async () => {
		const criteria = [{ name: "Limits", description: "There is a read timeout for the upload stream." }];
		const names = { "a.py": "def f(upload_stream, readTimeout):\n    upload_stream.limit(readTimeout)\n" };
		const request = judgeRequest({
			criterion: { name: "Limits", description: null, evidence: "work", checks: [criteria[0]?.description ?? ""], anchors: null },
			files: Object.entries(names).map(([path, text]) => ({ path, text, isClaim: false })),
		});
		const { checks, evidence } = await offlineJudge.judgeCriterion(request);
		expect(checks).toEqual([{ check: criteria[0]?.description, found: "yes" }]);
		expect(evidence).toEqual([{ path: "a.py", start: 1, end: 1, quote: "def f(upload_stream, readTimeout):" }]);
	});

	it("reads half a million characters without delay, for any content", async () => {
		const spaces = " ".repeat(500_000);
		const gaps = ["function", "function f(){", "function f(){return", "def f(): return", "a = 1"].map((start) => `${start}${spaces}!`);
		for (const text of [
			...gaps,
			"a_b".repeat(170_000),
			"'\"`".repeat(170_000),
			`${"aB1".repeat(10)} `.repeat(16_000),
			"/*".repeat(250_000),
		]) {
			await offlineJudge.judgeCriterion(judgeRequest({ files: [{ path: "a.js", text, isClaim: false }] }));
		}
	}, 10_000);
});
