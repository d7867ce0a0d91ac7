// Reads /results/junit.xml, the JUnit report that test runners of every language write.
import { XMLParser } from "fast-xml-parser";
import * as z from "zod";
import type { TestResult } from "../../src/ports/grading.ts";
import { checked, reportedTest, reportOfTests, ScoreFault, type ScoreReport } from "./report.ts";

/** Suites can contain suites, and a case its own elements, up to this depth. */
const MAX_DEPTH = 16;
/** Each tag takes time and memory before anything can be counted. */
const MAX_TAGS = 100_000;
const MAX_OUTPUT_CHARACTERS = 1_000;
const SUITES = ["testsuites", "testsuite"];
/** A case with one of these has failed. */
const FAILURES = ["failure", "error"];
/** A case with one of these has not passed. */
const MISSES = [...FAILURES, "skipped"];

/** Numbers stay text and entities stay unexpanded, so that nothing in a file can make it larger. */
const PARSER = new XMLParser({
	preserveOrder: true,
	ignoreAttributes: false,
	attributeNamePrefix: "",
	processEntities: false,
	parseTagValue: false,
	ignoreDeclaration: true,
	ignorePiTags: true,
	maxNestedTags: MAX_DEPTH,
});

/**
 * The form in which the parser returns an element: its children under its name, and its attributes under `:@`. Text is an element `#text`.
 */
const element = z.record(z.string(), z.unknown());
const children = z.array(element);
const attributes = z.record(z.string(), z.string()).catch({});

interface Element {
	readonly name: string;
	readonly attributes: Readonly<Record<string, string>>;
	readonly children: readonly Element[];
	readonly text: string;
}

/**
 * Returns the share of test cases that passed. Runners count differently, so the suites' own counts are not the score, but they must not
 * contradict the cases.
 *
 * @throws ScoreFault
 */
export function parseJunit(xml: string): ScoreReport {
	assertNoDoctype(xml);
	if (xml.split("<", MAX_TAGS + 2).length > MAX_TAGS + 1) throw new ScoreFault(`has more than ${MAX_TAGS} tags.`);
	const roots = readElements(parse(xml));
	const [root] = roots;
	if (root === undefined || roots.length > 1 || !SUITES.includes(root.name)) {
		throw new ScoreFault("has no testsuites or testsuite as its root.");
	}
	const results = reportOfTests(casesOf(root));
	assertCountsFit(root);
	return results;
}

function parse(xml: string): unknown {
	try {
		return PARSER.parse(xml, true);
	} catch (error) {
		throw new ScoreFault(`is not valid XML: ${error instanceof Error ? error.message.slice(0, 200) : "it cannot be read"}.`);
	}
}

/** Rejects a document type, because it declares entities, and reports need none. It can only come before the root element. */
function assertNoDoctype(xml: string): void {
	let start = xml.indexOf("<");
	while (start !== -1) {
		const isComment = xml.startsWith("<!--", start);
		if (!isComment && xml.startsWith("<!", start)) throw new ScoreFault("has a document type, which a test report does not need.");
		if (!isComment && !xml.startsWith("<?", start)) return;
		start = xml.indexOf("<", endOf(xml, start, isComment ? "-->" : "?>"));
	}
}

/** Returns the end of an element. The parser reports unclosed ones. */
function endOf(xml: string, start: number, mark: string): number {
	const end = xml.indexOf(mark, start);
	return end === -1 ? xml.length : end + mark.length;
}

function readElements(json: unknown): Element[] {
	return checked(children, json).flatMap((node) => {
		const name = Object.keys(node).find((key) => key !== ":@");
		return name === undefined || name === "#text" ? [] : [readElement(name, node)];
	});
}

function readElement(name: string, node: z.output<typeof element>): Element {
	const inside = checked(children, node[name]);
	const text = inside.flatMap((child) => (typeof child["#text"] === "string" ? [child["#text"]] : [])).join("");
	return { name, attributes: attributes.parse(node[":@"]), children: readElements(inside), text };
}

function casesOf(suite: Element): TestResult[] {
	return suite.children.flatMap((child) => {
		if (child.name === "testcase") return [toTestResult(child)];
		return SUITES.includes(child.name) ? casesOf(child) : [];
	});
}

interface SuiteCounts {
	readonly tests: number;
	readonly failed: number;
	readonly skipped: number;
}

/**
 * Counts the cases of each suite, and compares them with the suite's own counts.
 *
 * @throws ScoreFault
 */
function assertCountsFit(suite: Element): SuiteCounts {
	const own = sumCounts(suite.children.filter(({ name }) => name === "testcase").map(countCase));
	const inner = suite.children.filter(({ name }) => SUITES.includes(name)).map(assertCountsFit);
	const all = sumCounts([own, ...inner]);
	assertClaimsFit(suite.attributes, [own, all]);
	return all;
}

function sumCounts(parts: readonly SuiteCounts[]): SuiteCounts {
	return parts.reduce(
		(sum, part) => ({ tests: sum.tests + part.tests, failed: sum.failed + part.failed, skipped: sum.skipped + part.skipped }),
		{ tests: 0, failed: 0, skipped: 0 },
	);
}

/**
 * Accepts every way of counting: some runners count only a suite's own cases, some ignore skipped cases, and some count a failure twice.
 */
function assertClaimsFit({ tests, failures, errors }: Element["attributes"], [own, all]: readonly [SuiteCounts, SuiteCounts]): void {
	const isListed = [own, all].some((sum) => [sum.tests, sum.tests - sum.skipped].includes(Number(tests)));
	if (isCount(tests) && !isListed) throw contradiction(`counts ${tests} tests, and lists ${all.tests}`);
	const claimed = [failures, errors].filter(isCount).map(Number);
	const hasFailed = claimed.some((count) => count > 0);
	if (claimed.length > 0 && [own, all].every(({ failed }) => failed > 0 !== hasFailed)) {
		throw contradiction(`counts ${claimed.join(" + ")} failures, and lists ${all.failed}`);
	}
}

function countCase({ children: said }: Element): SuiteCounts {
	const has = (names: readonly string[]) => Number(said.some(({ name }) => names.includes(name)));
	return { tests: 1, failed: has(FAILURES), skipped: has(["skipped"]) };
}

function isCount(text: string | undefined): text is string {
	return text !== undefined && /^\d{1,9}$/.test(text);
}

function contradiction(what: string): ScoreFault {
	return new ScoreFault(`contradicts itself: a suite ${what}.`);
}

function toTestResult({ attributes: { name, classname }, children: said }: Element): TestResult {
	if (name === undefined) throw new ScoreFault("has a testcase without a name.");
	const miss = said.find((child) => MISSES.includes(child.name));
	const output = miss === undefined ? "" : [miss.attributes["message"] ?? "", miss.text].filter((text) => text !== "").join("\n");
	return reportedTest({
		name: decode(classname === undefined || classname === "" ? name : `${classname}.${name}`),
		passed: miss === undefined,
		output: decode(output.slice(0, MAX_OUTPUT_CHARACTERS)),
	});
}

const MAX_CODE_POINT = 0x10ffff;
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Decodes the five XML entities and numeric character references once. The text never becomes longer, and the result is not decoded again.
 */
function decode(text: string): string {
	return text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, (whole, ...groups: (string | undefined)[]) => {
		const [name, decimal, hex] = groups;
		if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
		const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
		return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : whole;
	});
}
