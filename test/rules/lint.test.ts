import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LINT_CODES, type LintCode } from "../../src/features/judging/lint/schemas.ts";
import { lintRubric, rubricWarnings } from "../../src/features/judging/lint/service.ts";

interface Written {
	readonly checks?: readonly string[];
	readonly name: string;
	readonly description: string | null;
	readonly weight?: number;
}

const lint = (criteria: readonly Written[]) => lintRubric(criteria.map((criterion) => ({ weight: 100 / criteria.length, ...criterion })));
const codesOf = (criteria: readonly Written[]) => lint(criteria).map(({ criterion, code }) => `${criterion}: ${code}`);
const said = (description: string, name = "Criterion"): Written[] => [{ name, description }];

/** For each rule, these are criteria that it must find, and similar ones that it must ignore. The finding is on the last one. */
const EXAMPLES: Readonly<Record<LintCode, { readonly found: readonly Written[][]; readonly fine: readonly Written[][] }>> = {
	NO_DESCRIPTION: {
		found: [
			[{ name: "Tests", description: null }],
			said(""),
			said("   \n\t "),
			said("..."),
			said("— ?!"),
			[{ name: "Exports a function reverse", description: null }],
		],
		fine: [said("assert"), said("x"), said("42"), said("Prüft leere Eingaben"), said("数える"), said("Prints hello.")],
	},
	VAGUE: {
		found: [
			said("Good quality"),
			said("The code is clean and easy to read.", "Code"),
			said("Nice, elegant solution"),
			said("Well structured and maintainable"),
			said("It should work well.", "Parser"),
			said("Follows best practices."),
			said("High-quality, professional work", "Overall quality"),
			[{ name: "Clean code", description: null }],
		],
		fine: [
			said("Small functions with names that say what they do", "Readability"),
			said("Good error messages name the line and the column."),
			said("prints hello", "Greets"),
			said("assert", "Tests"),
			said("Good.", "Exports reverse, splits into characters, joins"),
			said("Robust against lines that are cut off"),
			said("every prime below 30 and nothing else", "Primes"),
			[{ name: "Tests", description: null }],
			said("saubere, kleine Funktionen"),
		],
	},
	COMPOUND: {
		found: [
			said("Tests and documentation"),
			said("The parser handles quotes and the tests pass."),
			said("It must parse CSV and must report errors."),
			said("Reads CSV files and also writes JSON files."),
			said("- Reads every export of every bank\n- Has a web page with charts"),
			said("1. Reads every export of every bank\n2. Has a web page with charts"),
			said("Fast, secure"),
			[{ name: "Code quality", description: "Readable, documented" }],
			said("The server answers requests and there is a test for each."),
			said("parseDate exported, Intl used for formatting, de, en and ar, Arabic digits, invalid date returns null"),
			said("Exports parseDate, handles Arabic digits, returns null for an invalid date, runs without dependencies"),
			said("Empty fields return null, quoted fields keep their commas, missing fields throw an error"),
			said("All inputs are validated, errors are logged, and the rate is limited."),
			said("Has a README, has a Dockerfile, runs with one command"),
			said("Login works, logout works, the cart keeps its items"),
			said("Parse dates, reject bad input, write a log"),
			said("API documented, inputs validated, errors reported"),
			said("Responsive layout, keyboard navigation, colour contrast, alt texts"),
			said("Clear structure, concrete examples, correct terminology, consistent tone"),
			said("Charts, a search form, keyboard shortcuts, dark mode, an export button"),
		],
		fine: [
			said("Reads every sample export; amounts keep their sign and their cents."),
			said("names and comments explain the grammar"),
			said("days, hours, minutes, seconds and fractions; throws on invalid text"),
			said("There are tests for empty fields and for a missing last line break, and they run with one command."),
			said("A README says how to run it and what it does with lines it cannot read."),
			said("Cover burst, refill and two callers at once, with a fake clock."),
			said("Handles:\n- quotes\n- empty fields\n- line breaks"),
			said("Tests cover correctness and speed."),
			said("Fields in quotes may contain delimiters, line breaks and doubled quotes."),
			said("The documentation describes security and performance of each option."),
			said("Handles empty fields, doubled quotes, trailing commas, and missing line breaks."),
			said("Empty fields, doubled quotes, trailing commas, missing line breaks", "Edge cases"),
			said("Extracts invoice number, invoice date, net amount, VAT rate and currency."),
			said("A README says how to install it, how to run it, what it prints, and which lines it skips."),
			said("If the file is empty, the program prints nothing, and it exits with 1."),
			said("Returns 400 for a bad body, 404 for an unknown id, 409 for a wrong state, 413 for a large file"),
			said("The script reads the input, sorts it, and writes the result."),
			said("One page: header, footer, search form, navigation"),
			said("Liest leere Felder, doppelte Zeichen, fehlende Umbrüche, lange Zeilen"),
			said("Reads CSV exports, JSON dumps, XML files, and YAML documents"),
			said("Supports read access, write access, admin access"),
			said("Runs offline, without packages, in under a second, on a file of 10 MB"),
			said("Each function takes at most three parameters, has one purpose, and a name that says what it returns."),
			said("Given a graph, a start, an end, and a weight for each edge, returns the shortest path."),
		],
	},
	DEPENDENT: {
		found: [
			said("As above, but faster."),
			said("Like the other criterion, with floats."),
			said("See criterion 2."),
			[
				{ name: "Parser", description: "Reads quotes." },
				{ name: "Speed", description: "Same as Parser, for files of 1 GB." },
			],
			[
				{ name: "Token bucket", description: "Refills with elapsed time." },
				{ name: "Tests", description: "In addition to the token bucket, time is faked." },
			],
			said("Meets all of the above."),
			said("The formats mentioned above are tested."),
		],
		fine: [
			said("Shows the heading above the fold."),
			said("Accepts every value above 10 and below 30."),
			said("Returns the previous row when there is no other."),
			[
				{ name: "Parser", description: "Reads quotes." },
				{ name: "Tests", description: "The tests run the parser with broken lines." },
			],
			said("Keeps the order of the columns as in the sample."),
			said("The criteria of the search form filter the list."),
			said("A comment above each function says what it returns."),
		],
	},
	DUPLICATE: {
		found: [
			[
				{ name: "A", description: "Unit tests cover each bank's format." },
				{ name: "B", description: "Unit tests cover each bank's format." },
			],
			[
				{ name: "A", description: "Unit tests cover each bank's format!" },
				{ name: "B", description: "The unit tests cover each format of each bank's." },
			],
			[
				{ name: "Tests pass", description: null },
				{ name: "tests pass.", description: null },
			],
			[
				{ name: "A", description: "Reads CSV files with quotes, line breaks, empty fields" },
				{ name: "B", description: "reads csv files with quotes, line breaks, and empty fields, all" },
			],
			[
				{ name: "A", description: "Exports reverse, splits into characters, joins" },
				{ name: "Other", description: "Tests run" },
				{ name: "B", description: "Joins; splits into characters; exports reverse" },
			],
			[
				{ name: "A", description: "Rejects lines with too many columns, naming the line" },
				{ name: "B", description: "Rejects lines with too many columns, naming the line number" },
			],
		],
		fine: [
			[
				{ name: "North", description: "Reads the export of North Bank without losing a line or a cent" },
				{ name: "South", description: "Reads the export of South Bank without losing a line or a cent" },
			],
			[
				{ name: "Small", description: "Handles a file of 10 MB in one second" },
				{ name: "Large", description: "Handles a file of 100 MB in one second" },
			],
			[
				{ name: "Missing", description: "Returns status 404 for ids that do not exist" },
				{ name: "Broken", description: "Returns status 400 for ids that are not numbers" },
			],
			[
				{ name: "Parser", description: "quotes, delimiter, newline" },
				{ name: "Tests", description: "assert" },
			],
			[
				{ name: "Reads", description: null },
				{ name: "Writes", description: null },
			],
			[
				{ name: "Encode", description: "Encodes text as base64 with padding" },
				{ name: "Decode", description: "Decodes base64 without padding to text" },
			],
		],
	},
	TINY_WEIGHT: {
		found: [0.01, 0.1, 0.5, 0.9, 0.99, 0.999].map((weight) => [{ name: "Tiny", description: "prints hello", weight }]),
		fine: [1, 1.01, 2, 33.33, 50, 100].map((weight) => [{ name: "Enough", description: "prints hello", weight }]),
	},
	ABSENCE_ONLY: {
		found: [
			said("No global state"),
			said("There are no TODO comments."),
			said("Does not use external libraries."),
			said("No hard-coded secrets; no debug output"),
			said("Free of dead code"),
			said("No eval, exec or shell calls"),
			said("No secrets are committed."),
			said("Must not contain generated files"),
		],
		fine: [
			said("Refills with elapsed time, not with a timer. Never lets through more than the burst."),
			said("Never lets through more than the burst."),
			said("No line of the input is lost."),
			said("Uses the standard library and no packages."),
			said("No globals, but one module that holds the state."),
			said("Without external libraries, parses quoted fields."),
			said("Does not crash on empty input."),
			said("No test fails."),
		],
	},
	NOT_VERIFIABLE: {
		found: [
			said("Runs fast in production."),
			said("Stays stable in production for 30 days"),
			said("Users love it."),
			said("Customer satisfaction is high", "Customers"),
			said("99.9 % uptime"),
			said("Tested with real users"),
			said("Increases sales by a tenth"),
			said("Gets positive reviews"),
			said("Delivered on time"),
		],
		fine: [
			said("Debug mode is off in production."),
			said("Users can recommend a film to each other."),
			said("Users like posts with one click."),
			said("A form collects user feedback."),
			said("A page shows the uptime of each server."),
			said("A benchmark in the repository prints the median time of 100 runs."),
			said("The job starts on time, with a tolerance of one second."),
			said("Improves the contrast of the sales chart."),
			said("sorts faster than the naive way"),
		],
	},
};

describe.each(LINT_CODES)("%s", (code) => {
	const { found, fine } = EXAMPLES[code];

	it("has enough examples of both kinds", () => {
		expect(Math.min(found.length, fine.length)).toBeGreaterThanOrEqual(6);
	});

	it.each(found.map((criteria) => [criteria.at(-1)?.description ?? criteria.at(-1)?.name, criteria] as const))(
		"finds: %s",
		(_, criteria) => {
			expect(codesOf(criteria)).toContain(`${criteria.at(-1)?.name}: ${code}`);
		},
	);

	it.each(fine.map((criteria) => [criteria.at(-1)?.description ?? criteria.at(-1)?.name, criteria] as const))(
		"ignores: %s",
		(_, criteria) => {
			expect(codesOf(criteria).filter((finding) => finding.endsWith(`: ${code}`))).toEqual([]);
		},
	);
});

/** These criteria are from the documentation, the demo and everyday rubrics, written as the guides recommend. */
const GOOD_RUBRICS: readonly (readonly Written[])[] = [
	[
		{ name: "Token bucket", description: "Refills with elapsed time, not with a timer. Never lets through more than the burst." },
		{ name: "Tests", description: "Cover burst, refill and two callers at once, with a fake clock." },
	],
	[
		{ name: "Correctness", description: "Reads every sample export; amounts keep their sign and their cents." },
		{ name: "Tests", description: "Unit tests cover each bank's format and broken lines." },
		{ name: "Documentation", description: "A README says how to run it and what it does with lines it cannot read." },
	],
	[
		{ name: "Quotes", description: "Fields in quotes may contain delimiters, line breaks and doubled quotes." },
		{
			name: "Tests",
			description: "There are tests for empty fields and for a missing last line break, and they run with one command.",
		},
	],
	[
		{ name: "Correctness", description: "days, hours, minutes, seconds and fractions; throws on invalid text" },
		{ name: "Tests", description: "assert covers valid and invalid durations" },
		{ name: "Readability", description: "names and comments explain the grammar" },
	],
	[
		{ name: "Function", description: "exports reverse, splits into characters, joins" },
		{ name: "Tests", description: "assert with an empty string" },
	],
	[
		{ name: "Primes", description: "every prime below 30 and nothing else" },
		{ name: "Readability", description: "small functions with names that say what they do" },
		{ name: "Errors", description: "every error message names line and column" },
		{ name: "Notes", description: "NOTES.md says how they were found" },
		{ name: "Greets", description: "prints hello" },
		{ name: "Speed", description: "sorts faster than the naive way" },
	],
	[
		{ name: "Pagination", description: "GET /items takes limit and cursor, and returns next_cursor until the last page." },
		{ name: "Idempotency", description: "A repeated POST with the same Idempotency-Key returns the first response." },
		{ name: "Locking", description: "Two parallel withdrawals of the whole balance: one succeeds, the other gets 409." },
		{ name: "Migrations", description: "A script brings the schema of version 1 to version 2 and back." },
		{ name: "Accessibility", description: "Every input has a label that screen readers announce." },
		{ name: "Logging", description: "Each request writes one JSON line with its id, route, status and duration." },
	],
];

describe("the lint", () => {
	it.each(GOOD_RUBRICS.map((rubric) => [rubric.map(({ name }) => name).join(", "), rubric] as const))(
		"finds nothing in %s",
		(_, rubric) => {
			expect(codesOf(rubric)).toEqual([]);
		},
	);

	it("gives the same findings each time, in the order of the rubric, each with a message", () => {
		const rubric = [...said("Good", "A"), ...said("", "B"), ...said("As above", "C")];
		expect(lint(rubric)).toEqual(lint(rubric));
		expect(codesOf(rubric)).toEqual(["A: VAGUE", "B: NO_DESCRIPTION", "C: DEPENDENT"]);
		for (const { message } of lint(rubric)) expect(message).toMatch(/^The criterion .*\. [A-Z].*\.$/);
	});

	it("counts errors and warnings, not hints, for the warning of a task", () => {
		const rubric = [
			{ name: "Absent", description: "No global state", weight: 99.5 },
			{ name: "Vague", description: "good", weight: 0.3 },
			{ name: "Empty", description: null, weight: 0.2 },
		];
		expect(rubricWarnings("id", rubric)).toMatchObject([
			{ code: "RUBRIC_LINT", message: expect.stringContaining('hard to judge: "Vague" is VAGUE, "Empty" is NO_DESCRIPTION. POST') },
		]);
		expect(rubricWarnings("id", rubric.slice(0, 1))).toEqual([]);
		expect(rubricWarnings("id", [])).toEqual([]);
		expect(rubricWarnings("id", [...rubric, ...rubric])[0]?.message).toContain(", and ");
	});

	it("names the criterion that another one repeats", () => {
		const findings = lint([...said("prints hello to the world", "First"), ...said("prints hello to the world", "Second")]);
		expect(findings).toMatchObject([{ criterion: "Second", code: "DUPLICATE", message: expect.stringContaining('"First"') }]);
	});

	it("accepts any text", () => {
		const text = fc.string({ unit: "binary", maxLength: 300 });
		fc.assert(
			fc.property(
				fc.array(fc.record({ name: text, description: fc.option(text), weight: fc.double({ min: 0.01, max: 100, noNaN: true }) }), {
					maxLength: 6,
				}),
				(rubric) => {
					const findings = lintRubric(rubric);
					expect(findings.every(({ criterion }) => rubric.some(({ name }) => name === criterion))).toBe(true);
				},
			),
		);
	});

	it("reads hostile text to its end, for any length", () => {
		const parts = [
			"and the ",
			"see ",
			"criterion ",
			"as in ",
			"'-",
			"a-",
			"a'",
			"1. ",
			"\n- a b c d ",
			"no , or ",
			"users are ",
			". ",
			"must and must ",
			"returns null, ",
			", and ",
			"\u0301",
			"in production ",
		];
		const rubric = (times: number) => parts.map((part, index) => ({ name: `see ${index}`, description: part.repeat(times), weight: 1 }));
		// Quadratic work on the second rubric takes many minutes, so the test would not end in its time.
		expect(lintRubric(rubric(20_000)).length).toBe(lintRubric(rubric(200)).length);
	});

	it("reads the largest rubric that a task can have, and finds nothing in it", () => {
		const rubric = Array.from({ length: 50 }, (_, index) => ({
			name: "see ".repeat(45) + index,
			description: `see see as in the ${index} `.repeat(500).slice(0, 10_000),
			weight: 2,
		}));
		expect(lintRubric(rubric)).toEqual([]);
	});

	it("reads checks, which a judge evaluates one by one", () => {
		const rubric = [
			{
				name: "Parser",
				description: "Reads fields in quotes.",
				weight: 100,
				checks: ["A field in quotes keeps its comma", "Good code", "A field in quotes keeps its comma", "Users love it", "Same as Tests"],
			},
			...said("Cover empty files.", "Tests"),
		];
		expect(lint(rubric)).toMatchObject([
			{ criterion: "Parser", code: "VAGUE", severity: "error", message: expect.stringMatching(/^Check 2 of the criterion /) },
			{ criterion: "Parser", code: "DUPLICATE", message: expect.stringMatching(/^Check 3 /) },
			{ criterion: "Parser", code: "NOT_VERIFIABLE", message: expect.stringMatching(/^Check 4 /) },
			{ criterion: "Parser", code: "DEPENDENT", message: expect.stringMatching(/^Check 5 /) },
		]);
	});

	it("accepts checks as a description, unless they only repeat the name", () => {
		const bare = { name: "Parser", description: null, weight: 100 };
		expect(codesOf([{ ...bare, checks: ["A field in quotes keeps its comma"] }])).toEqual([]);
		expect(codesOf([{ ...bare, checks: ["Parser"] }])).toEqual(["Parser: NO_DESCRIPTION"]);
	});
});
