// Tests reports of test runners as score files: JUnit XML and CTRF, also hostile ones.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCtrf } from "../../grader/scores/ctrf.ts";
import { SCORE_FORMATS } from "../../grader/scores/formats.ts";
import { parseJunit } from "../../grader/scores/junit.ts";
import { ScoreFault } from "../../grader/scores/report.ts";

const MB = 1_048_576;

/** Returns the score that a parser reads from a file, or the fault. */
function tryParse(parse: () => { score: number }): number | string {
	try {
		return parse().score;
	} catch (error) {
		if (error instanceof ScoreFault) return error.message;
		throw error;
	}
}

const junit = (xml: string) => tryParse(() => parseJunit(xml));
const suite = (inside: string, attributes = "") => `<testsuite ${attributes}>${inside}</testsuite>`;

describe("a JUnit report", () => {
	it("scores the share of cases that passed, from suites in suites", () => {
		const xml = `<?xml version="1.0" encoding="UTF-8"?>
<!-- by a runner -->
<testsuites tests="4" failures="9">
	<testsuite name="a"><properties><property name="x" value="y"/></properties>
		<testcase classname="pkg.Sorting" name="sorts &lt;three&gt; &amp;amp; more"/>
		<testcase name="is fast"><failure message="took &quot;long&quot;">at line 3 &#x3c;here&#62;</failure></testcase>
		<testsuite name="b"><testcase name="is stable"><error message="crash"/></testcase></testsuite>
	</testsuite>
	<testsuite name="c"><testcase name="later"><skipped/></testcase></testsuite>
</testsuites>`;
		expect(parseJunit(xml)).toMatchObject({
			score: 25,
			tests: [
				{ name: "pkg.Sorting.sorts <three> &amp; more", passed: true, output: "" },
				{ name: "is fast", passed: false, output: 'took "long"\nat line 3 <here>' },
				{ name: "is stable", passed: false, output: "crash" },
				{ name: "later", passed: false },
			],
		});
	});

	it("treats what a case prints as text", () => {
		const forged = '<![CDATA[</system-out></testcase><testcase name="forged"/><!DOCTYPE x>]]>';
		expect(junit(suite(`<testcase name="a"><failure/><system-out>${forged}</system-out></testcase>`))).toBe(0);
		expect(junit(suite(`<testcase name="a"/><properties><testcase name="not here"><failure/></testcase></properties>`))).toBe(100);
	});

	it.each([
		["nothing", "", /not valid XML/],
		["no XML", "all tests passed", /not valid XML/],
		["another document", "<html><body/></html>", /no testsuites or testsuite as its root/],
		["two roots", `${suite('<testcase name="a"/>')}${suite("")}`, /root/],
		["no case", suite(""), /no test/],
		["a case without a name", suite("<testcase/>"), /without a name/],
		["an attribute twice", suite('<testcase name="a" name="b"/>'), /repeated/],
		["tags that do not fit", "<testsuite><testcase name='a'></testsuite></testcase>", /not valid XML/],
		["text behind its end", `${suite('<testcase name="a"/>')}junk`, /not valid XML/],
		["no end", "<testsuite><testcase name='a'/>", /not valid XML/],
		["a name of JavaScript's own", suite("<__proto__/><testcase name='a'/>"), /not valid XML/],
	])("with %s is refused", (_, xml, fault) => {
		expect(junit(xml)).toMatch(fault);
	});

	it.each([
		["failures in its attributes and none in its list", suite('<testcase name="a"/>', 'tests="1" failures="1"'), /1 failures, and lists 0/],
		[
			"errors in its attributes and none in its list",
			suite('<testcase name="a"/>', 'tests="1" failures="0" errors="2"'),
			/failures, and lists 0/,
		],
		[
			"no failure in its attributes and one in its list",
			suite('<testcase name="a"/><testcase name="b"><failure/></testcase>', 'failures="0"'),
			/lists 1/,
		],
		["more tests in its attributes than in its list", suite('<testcase name="a"/>', 'tests="10"'), /10 tests, and lists 1/],
		["a contradiction in an inner suite", `<testsuites>${suite('<testcase name="a"/>', 'failures="3"')}</testsuites>`, /lists 0/],
	])("that has %s is refused", (_, xml, fault) => {
		expect(junit(xml)).toMatch(fault);
	});

	it.each([
		["leaves out skipped tests", suite('<testcase name="a"/><testcase name="b"><skipped/></testcase>', 'tests="1" failures="0"'), 50],
		["counts a failure twice", suite('<testcase name="a"><failure/><error/></testcase>', 'tests="1" failures="1" errors="1"'), 0],
		[
			"counts its own cases only",
			`<testsuite tests="1">${suite('<testcase name="b"/>', 'tests="1"')}<testcase name="a"/></testsuite>`,
			100,
		],
		["gives counts that are no numbers", suite('<testcase name="a"/>', 'tests="" failures="none"'), 100],
	])("of a runner that %s is accepted", (_, xml, score) => {
		expect(junit(xml)).toBe(score);
	});

	it("declares no entities: neither a billion laughs nor a file of this machine", () => {
		const laughs = Array.from({ length: 9 }, (_, depth) => `<!ENTITY l${depth + 1} "${`&l${depth};`.repeat(10)}">`).join("");
		const documents = [
			`<?xml version="1.0"?><!DOCTYPE t [<!ENTITY l0 "lol">${laughs}]>${suite('<testcase name="&l9;"/>')}`,
			`<!-- a --><?pi b?>\n<!DOCTYPE t SYSTEM "file:///etc/passwd">${suite('<testcase name="a"/>')}`,
			`<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>${suite('<testcase name="&x;"/>')}`,
		];
		expect(documents.map(junit)).toEqual(documents.map(() => "has a document type, which a test report does not need."));
	});

	it("keeps an entity as text if it is declared too late", () => {
		const late = `<testsuite><!DOCTYPE t [<!ENTITY x "forged">]><testcase name="&x;"/></testsuite>`;
		const { tests } = parseJunit(late);
		expect(tests.map(({ name }) => name)).toEqual(["&x;"]);
	});

	it("is read within limits, for any content of 1 MB", () => {
		const fill = (unit: string) => unit.repeat(Math.floor(MB / unit.length));
		const attributes = Array.from({ length: 60_000 }, (_, index) => `a${index}="${index}"`).join(" ");
		const accepted = {
			"a huge attribute": suite('<testcase name="a"/>', `x="${fill("x").slice(200)}"`),
			"many attributes": suite('<testcase name="a"/>', attributes),
			"white space in a tag": suite('<testcase name="a"/>', `x${fill(" ").slice(200)}="y"`),
			"many entities": suite(`<testcase name="${fill("&amp;").slice(300)}"/>`),
		};
		for (const [what, xml] of Object.entries(accepted)) expect(junit(xml), what).toBe(100);
		const refused = {
			"deep nesting": fill("<testsuite>"),
			"deep nesting with an end": `${"<testsuite>".repeat(40_000)}${"</testsuite>".repeat(40_000)}`,
			"too many elements": suite(fill("<a/>")),
			"open comments": fill("<!--"),
			instructions: fill("<?a?>"),
			"open instructions": fill("<?a "),
			"open tags": fill("<"),
			"open CDATA": `<testsuite>${fill("<![CDATA[")}`,
			"attributes without values": suite("", fill("a ")),
			"open quotes": suite("", fill('a="')),
		};
		for (const [what, xml] of Object.entries(refused)) expect(junit(xml), what).toEqual(expect.any(String));
	});

	it("only throws a ScoreFault", () => {
		const piece = fc.constantFrom(
			"<testsuite>",
			"</testsuite>",
			'<testcase name="a"/>',
			"<!--",
			"-->",
			"<![CDATA[",
			"]]>",
			"<!DOCTYPE",
			"&a;",
			"<?",
			"?>",
			"x",
			'"',
			">",
			"<",
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
				const score = junit(pieces.join(""));
				expect(typeof score === "string" || (score >= 0 && score <= 100)).toBe(true);
			}),
		);
	});
});

const ctrf = (change: object = {}) => {
	const tests = [
		{ name: "sorts", status: "passed", duration: 3 },
		{ name: "is fast", status: "failed", duration: 9, message: "took long", trace: "line 3" },
		{ name: "is stable", status: "skipped", duration: 0 },
		{ name: "is small", status: "passed", duration: 1 },
	];
	const summary = { tests: 4, passed: 2, failed: 1, pending: 0, skipped: 1, other: 0, start: 1, stop: 2 };
	return { reportFormat: "CTRF", results: { tool: { name: "runner" }, summary, tests, ...change } };
};

describe("a CTRF report", () => {
	it("scores the share of tests that passed", () => {
		expect(parseCtrf(ctrf())).toMatchObject({
			score: 50,
			tests: [
				{ name: "sorts", passed: true },
				{ passed: false, output: "took long" },
				{ name: "is stable", passed: false },
				{ passed: true },
			],
		});
	});

	it.each([
		["a summary that counts more", ctrf({ summary: { tests: 4, passed: 4 } }), /says 4 of 4 tests passed, and its list 2 of 4/],
		["a summary that counts fewer tests", ctrf({ summary: { tests: 2, passed: 2 } }), /says 2 of 2/],
		["a summary without its failure", ctrf({ summary: { tests: 4, passed: 2, failed: 0 } }), /0 tests failed, and its list that 1 did/],
		["no summary", ctrf({ summary: undefined }), /results\.summary/],
		["no tests", ctrf({ tests: [], summary: { tests: 0, passed: 0 } }), /no test/],
		["an unknown status", ctrf({ tests: [{ name: "a", status: "PASSED" }] }), /status/],
		["nothing", {}, /results/],
	])("with %s is refused", (_, report, fault) => {
		expect(tryParse(() => parseCtrf(report))).toMatch(fault);
	});
});

describe("the places of reports", () => {
	it("are the folder of the platform's own score", () => {
		expect(SCORE_FORMATS.map(({ path }) => path)).toEqual(expect.arrayContaining(["/results/junit.xml", "/results/ctrf-report.json"]));
	});
});
