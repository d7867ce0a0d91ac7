// No list grows without a bound: a page ends at 2 MB, and a list without pages has a bounded number of items.
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readProjectFile, readSources } from "../../scripts/support/sources.ts";
import { countFitting, MAX_PAGE_BYTES, pageRows, viewPage } from "../../src/http/pagination.ts";

const MB = 1_048_576;
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength;

describe("a page of a list", () => {
	const cursorOf = (last: { id: number }, count: number) => `${last.id} of ${count}`;

	it("ends at 2 MB of its items, and the next one begins after its last item", () => {
		const rows = Array.from({ length: 101 }, (_, id) => ({ id, text: "\u0001ä".repeat(5_000) }));
		const page = pageRows(rows, 100, cursorOf);
		expect(bytesOf(page.rows)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
		expect(bytesOf(page.rows)).toBeGreaterThan(MB);
		expect(page.pagination).toEqual({ has_more: true, next_cursor: `${page.rows.length - 1} of ${page.rows.length}` });
	});

	it("counts what the response has of a row", () => {
		const rows = Array.from({ length: 11 }, (_, id) => ({ id }));
		const view = ({ id }: { id: number }) => ({ id, text: "x".repeat(MB / 2) });
		const page = viewPage(rows, 10, { view, cursorOf: ({ id }) => [id] });
		expect(page.data.map(({ id }) => id)).toEqual([0, 1, 2]);
		expect(page.pagination.has_more).toBe(true);
	});

	it("has one item at least, and its limit where all items are short", () => {
		const long = [{ text: "x".repeat(3 * MB) }, { text: "x" }];
		expect(countFitting(long, 2)).toBe(1);
		expect(countFitting([{ text: "x" }, { text: "x" }], 5)).toBe(2);
		expect(countFitting([], 5)).toBe(0);
	});
});

type Schema = Readonly<Record<string, unknown>> & { readonly $ref?: string; readonly properties?: Readonly<Record<string, Schema>> };

/** Lists the operations whose JSON has a list, with the fields of the response. */
function listOperations(): { id: string; fields: readonly string[]; lists: readonly string[] }[] {
	const {
		paths,
		components,
	}: {
		paths: Record<
			string,
			Record<string, { operationId?: string; responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
		>;
		components: { schemas: Record<string, Schema> };
	} = JSON.parse(readProjectFile("docs/openapi.json"));
	const resolve = (schema: Schema): Schema =>
		schema.$ref === undefined ? schema : resolve(components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
	return Object.values(paths).flatMap(({ get }) => {
		const schema = get?.responses["200"]?.content?.["application/json"]?.schema;
		if (get === undefined || schema === undefined) return [];
		const { properties = {} } = resolve(schema);
		const lists = Object.keys(properties).filter((name) => resolve(properties[name] ?? {})["type"] === "array");
		return lists.length === 0 ? [] : [{ id: get.operationId ?? "", fields: Object.keys(properties), lists }];
	});
}

const isPaged = ({ fields }: { fields: readonly string[] }) => fields.includes("next_cursor") || fields.includes("pagination");

describe("every operation that lists", () => {
	const all = listOperations();
	const sources = readSources("src");

	it("with pages cuts them by bytes", () => {
		const byPath = new Map(sources.map((source) => [source.path, source.code]));
		const cuts = (path: string, depth: number): boolean => {
			const code = byPath.get(path) ?? "";
			if (/\b(pageRows|viewPage|readPageBefore|countFitting)\(/.test(code)) return true;
			const imported = [...code.matchAll(/from "(\.[^"]+)"/g)].map(([, target = ""]) => join(dirname(path), target));
			return depth > 0 && imported.filter((target) => !target.includes("/http/")).some((target) => cuts(target, depth - 1));
		};
		const paged = all.filter(isPaged);
		expect(paged.length).toBeGreaterThanOrEqual(25);
		const uncut = paged.filter(({ id }) => {
			const source = sources.find(({ code }) => code.includes(`operationId: "${id}"`));
			return source === undefined || !cuts(source.path, 2);
		});
		expect(uncut.map(({ id }) => id)).toEqual([]);
	});

	it("without pages has a bound, which this list names", () => {
		const unpaged = all.filter((one) => !isPaged(one)).flatMap(({ id, lists }) => lists.map((list) => `${id}.${list}`));
		expect(unpaged.filter((name) => BOUNDS[name.split(".")[0] ?? ""] === undefined)).toEqual([]);
	});
});

/** This bounds the lists of an operation that has no pages. */
const BOUNDS: Readonly<Record<string, string>> = {
	getHome: "constant",
	getHeader: "200 tasks of each kind, and four switches",
	getPackageIndex: "one for each package",
	getReceiptKeys: "one for each value of SECRETS_KEY",
	getMcpCard: "constant",
	getIssuerMetadata: "constant",
	getResourceMetadata: "constant",
	getPathResourceMetadata: "constant",
	exportAgent: "steps, and says what it cut off",
	searchDirectory: "a fixed number of hits",
	getHistory: "90 days",
	getSpend: "days and the dearest tasks and posters",
	inspectSubmission: "for operators: one submission",
	inspectTask: "for operators: pages of tables",
	listApiKeys: "50 active keys",
	listGrants: "1,000 listed",
	listPasskeys: "20 passkeys",
	listSignInProviders: "settings",
	listWaiting: "a fixed number of each kind",
	getHandbook: "constant",
	getPublicAgent: "20 tags",
	getProfile: "20 tags",
	getAgent: "20 tags",
	getPublicTask: "50 criteria, 10 attachments, 50 deadlines",
	getTask: "50 criteria, 10 attachments, 50 deadlines",
	getSubmission: "50 criteria",
	getSubmissionDetails: "50 criteria",
	getDryRun: "50 criteria",
	getDeal: "one for each step and address",
	listDocs: "pages of the documentation",
	searchDocs: "a fixed number of hits",
	listOperatorTokens: "10 active tokens",
	listAttachments: "10 attachments",
	listPublicCases: "1,000 cases of a suite of 5 MB",
	downloadTestSuite: "1,000 cases of a suite of 5 MB",
	getScoreHistory: "the first competitors, thinned",
	getHealth: "settings",
	getReadiness: "settings",
};
