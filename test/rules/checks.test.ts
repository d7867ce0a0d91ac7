// Tests the checks of a rubric: those that rules take from texts, and what is made of a model's proposal.
import { describe, expect, it } from "vitest";
import { checksByRules } from "../../src/core/judging/checks/checks-by-rules.ts";
import {
	type CriterionProposal,
	describeProposal,
	fitProposals,
	proposeByModel,
	proposeByRules,
	withChecks,
} from "../../src/core/judging/checks/criterion-checks.ts";
import { evidenceFor, isEnglish } from "../../src/core/judging/checks/rubric-texts.ts";
import type { CheckProposal } from "../../src/ports/judge.ts";

const byRules = (description: string | null, name = "Parser") => checksByRules({ name, description }).checks;

describe("checks by rules", () => {
	it.each([
		[
			"sentences",
			"Reads quoted fields. Keeps 3.5 as a number! Is README.md there?",
			["Reads quoted fields", "Keeps 3.5 as a number!", "Is README.md there?"],
		],
		[
			"list items",
			"- quoted fields\n* line breaks\n• empty fields\n2) one column\n- [ ] a box",
			["quoted fields", "line breaks", "empty fields", "one column", "a box"],
		],
		["whole list items", "- Reads quotes. Keeps tabs\n  in them.\n- Trims", ["Reads quotes. Keeps tabs in them", "Trims"]],
		["lists and sentences in their order", "First this.\n- then that\n\nLast of all.", ["First this", "then that", "Last of all"]],
		[
			"sentences over several lines",
			"Reads every export\nof the bank. Keeps\nthe sign.",
			["Reads every export of the bank", "Keeps the sign"],
		],
		["a list without its heading", "The parser handles:\n- quotes\n- line breaks", ["quotes", "line breaks"]],
		[
			"texts without headings",
			"# Parser\nReads quotes.\n\nTests\n-----\nCover tabs.\n\nMore\n====\nCover lines.",
			["Reads quotes", "Cover tabs", "Cover lines"],
		],
		["parts that a semicolon joins", "Reads every export; amounts keep their sign.", ["Reads every export; amounts keep their sign"]],
		["one text once", "Reads quotes.\nreads quotes", ["Reads quotes. reads quotes"]],
		["one item once", "- Reads quotes.\n- reads quotes", ["Reads quotes"]],
		["different texts that only differ in a mark", "- Handles C\n- Handles C++", ["Handles C", "Handles C++"]],
	])("are %s", (_, description, checks) => {
		expect(byRules(description)).toEqual(checks);
	});

	it.each([
		["Reads exports, e.g. CSV of banks. Keeps tabs.", ["Reads exports, e.g. CSV of banks", "Keeps tabs"]],
		["Handles quotes, commas, etc. In every field. Then trims.", ["Handles quotes, commas, etc. In every field", "Then trims"]],
		["Works for approx. 10 files. See cf. The manual.", ["Works for approx. 10 files", "See cf. The manual"]],
		["Beats the old one (vs. Excel). It ends.", ["Beats the old one (vs. Excel)", "It ends"]],
		["Keeps the order, i.e. Rows stay. It runs at 5 a.m. Every day.", ["Keeps the order, i.e. Rows stay", "It runs at 5 a.m. Every day"]],
		["No. 5 is read. It works.", ["No. 5 is read", "It works"]],
		["Reads main.py. Then ends.", ["Reads main.py", "Then ends"]],
		["It is fast. Yes. It ends soon.", ["It is fast. Yes. It ends soon"]],
	])("are whole sentences of %j", (description, checks) => {
		expect(byRules(description)).toEqual(checks);
	});

	it.each([null, "", " \n ", "...", "# Heading", "The parser:"])("are the name if the description %j says nothing", (description) => {
		expect(byRules(description, "Reads quoted fields")).toEqual(["Reads quoted fields"]);
	});

	it.each(["...", "。", ".;,"])("are the name even if it is only punctuation: %j", (name) => {
		expect(byRules(null, name)).toEqual([name]);
	});

	it("are at most eight, of at most 300 characters, and say that there was more", () => {
		const items = Array.from({ length: 9 }, (_, index) => `- Case ${index} ${"💡 word ".repeat(100)}`);
		const { checks, isCut } = checksByRules({ name: "Parser", description: items.join("\n") });
		expect(checks).toHaveLength(8);
		for (const check of checks) expect([...check].length).toBeLessThanOrEqual(300);
		expect(checks[0]).toMatch(/^Case 0 💡 word .*…$/u);
		expect(isCut).toBe(true);
		expect(checksByRules({ name: "Parser", description: items.slice(1).join("\n") }).isCut).toBe(false);
	});

	it("are made of any text", () => {
		const texts = ["a ", "and the ", "; ", "- ", ". ", "a.", "etc. ", "a.b. ", "\n", "# ", ": ", "💡"];
		for (const text of texts) expect(byRules(text.repeat(5_000).slice(0, 10_000)).length).toBeGreaterThan(0);
	});

	it("replace no checks that a criterion has", () => {
		const own = { name: "A", description: "One thing. Two things.", checks: ["Mine"] };
		const bare = { name: "B", description: "Three things. Four things.", checks: [] };
		expect(withChecks([own, bare])).toEqual([own, { ...bare, checks: ["Three things", "Four things"] }]);
	});
});

const criterion = { name: "Parser", description: "Reads quotes. Reads tabs.", weight: 100, checks: [] };

describe("the notes of a proposal by rules", () => {
	const notesOn = (description: string | null) => proposeByRules([{ ...criterion, description }])[0]?.notes;

	it("are those of the lint", () => {
		expect(notesOn("Reads quotes. Reads tabs.")).toEqual([]);
		expect(notesOn("Clean and elegant.")).toEqual([expect.stringContaining("only that the work should be good")]);
		expect(notesOn(null)).toEqual([expect.stringContaining("no description")]);
	});

	it("say that rules know English only", () => {
		expect(notesOn("Der Parser liest Felder in Anführungszeichen, und die Tests sind für alle da.")).toEqual([
			expect.stringContaining("only know English"),
		]);
	});

	it("say that a text has more than became checks", () => {
		expect(notesOn(Array.from({ length: 9 }, (_, index) => `- case ${index}`).join("\n"))).toEqual([
			expect.stringContaining("more than 8"),
		]);
	});
});

describe("a language", () => {
	it.each([
		["Reads quoted fields, keeps line breaks, trims cells", true],
		["The parser reads all of the fields", true],
		["`naïve` café résumé", true],
		["Liest Felder und ist nicht langsam", false],
		["Le parseur lit les champs avec une virgule", false],
		["El programa lee los campos con una coma", false],
		["数えやすく、読みやすい", false],
		["Читает поля в кавычках", false],
		["", true],
	])("of %j is English: %s", (text, expected) => expect(isEnglish(text)).toBe(expected));
});

describe("evidence", () => {
	it("is any where README or SUBMISSION.md is named", () => {
		expect(evidenceFor({ ...criterion, checks: ["The README.rst says how to run it"] }, null)).toBe("any");
		expect(evidenceFor({ ...criterion, checks: [] }, "A program with its SUBMISSION.md")).toBe("any");
		expect(evidenceFor({ ...criterion, description: "Is readable; the submission runs" }, "A program")).toBe("work");
	});
});

describe("a proposal of a model", () => {
	const propose = async (proposal: CheckProposal | null | Error) => {
		const proposeChecks = () => (proposal instanceof Error ? Promise.reject(proposal) : Promise.resolve(proposal));
		const task = { title: "CSV", description: null, inputSpec: null, outputSpec: null, attachments: [] };
		const [proposed] = await proposeByModel([criterion], { judge: { proposeChecks }, task, watch: { requestId: null, onCall: () => {} } });
		return proposed;
	};

	it("has each check once, on one line and without a full stop, with its notes", async () => {
		const checks = ["`parse` handles quotes", "...", "A test has  an\nempty file", "a test has an empty file."];
		expect(await propose({ checks, notes: ["It cannot run the page."] })).toEqual({
			...{ name: "Parser", notes: ["It cannot run the page."], isCut: false, source: "model" },
			checks: ["`parse` handles quotes", "A test has an empty file"],
		});
	});

	it.each([
		["fewer than two checks", { checks: ["Reads quotes"], notes: ["A note"] }],
		["no words", { checks: ["...", "—"], notes: [] }],
		["nothing", null],
		["an error", new Error("No connection.")],
	])("with %s is replaced by the proposal of the rules", async (_, proposal) => {
		expect(await propose(proposal)).toMatchObject({ checks: ["Reads quotes", "Reads tabs"], notes: [], source: "rules" });
	});

	it("has at most eight checks", async () => {
		const checks = Array.from({ length: 12 }, (_, index) => `Reads file ${index}`);
		expect((await propose({ checks, notes: [] }))?.checks).toEqual(checks.slice(0, 8));
	});

	it("tells the poster of existing checks, and of those that no few lines can show", () => {
		const proposal = {
			name: "Parser",
			checks: ["Reads quotes", "No file has tabs"],
			notes: ["A note"],
			isCut: false,
			source: "model",
		} as const;
		const facts = { criterion: { ...criterion, checks: ["Mine"] }, outputSpec: "A README", wholeChecks: [1] };
		expect(describeProposal(proposal, facts)).toEqual({
			...{ name: "Parser", checks: ["Reads quotes", "No file has tabs"], evidence: "any" },
			notes: [expect.stringContaining("already has checks"), "A note", expect.stringContaining('"No file has tabs"')],
			source: "model",
		});
	});
});

describe("the checks of a whole rubric", () => {
	const proposals = (...counts: readonly number[]): CriterionProposal[] =>
		counts.map((count, index) => ({
			...{ name: `Criterion ${index}`, notes: [], isCut: false, source: "rules" as const },
			checks: Array.from({ length: count }, (_, check) => `Check ${check}`),
		}));
	const countsOf = (fitted: readonly CriterionProposal[]) => fitted.map(({ checks }) => checks.length);

	it("are at most 120, the longest proposals being shortened first", () => {
		expect(countsOf(fitProposals(proposals(8, 1, 8), 0))).toEqual([8, 1, 8]);
		expect(countsOf(fitProposals(proposals(8, 1, 8), 105))).toEqual([7, 1, 7]);
		const fitted = fitProposals(proposals(...Array<number>(50).fill(8)), 0);
		expect(countsOf(fitted).reduce((sum, count) => sum + count, 0)).toBe(120);
		expect(new Set(countsOf(fitted))).toEqual(new Set([2, 3]));
		expect(fitted[0]).toMatchObject({ isCut: true, notes: [expect.stringContaining("at most 120 checks")] });
	});

	it("are one for each criterion at least", () => {
		expect(countsOf(fitProposals(proposals(3, 2), 119))).toEqual([1, 1]);
	});
});
