// The client has a method for every operation of the OpenAPI document, and each sends what the document describes.
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { BountyClient, OPERATIONS, type Schemas } from "../../packages/sdk/src/index.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";

const BASE_URL = "https://bounties.example/base";
const ID = "01a230d9-a660-778d-8de6-c44c789d6478";
const SIGNED = "https://storage.example/signed?signature=1";

const operationSchema = z.object({
	operationId: z.string(),
	security: z.array(z.record(z.string(), z.unknown())).default([]),
	requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
	responses: z.record(z.string(), z.unknown()),
});
const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });
const FORM = "application/x-www-form-urlencoded";
const operations = Object.entries(documentSchema.parse(JSON.parse(readProjectFile("docs/openapi.json"))).paths)
	.flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, { operationId, security, requestBody, responses }]) => ({
			...{ id: operationId, method: method.toUpperCase(), path },
			isSigned: security.some((scheme) => "SignedUrl" in scheme),
			bodyTypes: Object.keys(requestBody?.content ?? {}),
			isRedirect: !Object.keys(responses).some((status) => status.startsWith("2")),
		})),
	)
	// Browsers send these forms, and libraries for OAuth.
	.filter(({ bodyTypes }) => !bodyTypes.includes(FORM));
type Operation = (typeof operations)[number];

interface Sent {
	readonly request: string;
	readonly contentType: string | null;
}

/** Calls the method of an operation. The response fits lists and uploads, which is enough to get the request sent. */
async function requestsOf({ id, path, isSigned, bodyTypes }: Operation): Promise<Sent[]> {
	const sent: Sent[] = [];
	const client = new BountyClient({
		baseUrl: BASE_URL,
		apiKey: "svc_sk_1",
		maxRetries: 0,
		fetch: async (url, init) => {
			sent.push({ request: `${init?.method} ${url}`, contentType: new Headers(init?.headers).get("Content-Type") });
			// The SDK would open a stream again after any other response.
			if (id.startsWith("stream")) return Response.json({ error: { code: "NOT_FOUND", message: "No." } }, { status: 404 });
			return Response.json({ data: [], entries: [], next_cursor: null });
		},
	});
	const names = isSigned ? [SIGNED] : [...path.matchAll(/\{\w+\}/g)].map(() => ID);
	const isBytes =
		bodyTypes.length > 0 && !bodyTypes.includes("application/json") && bodyTypes.some((type) => !type.startsWith("multipart/"));
	const body = bodyTypes.length === 0 ? [] : [isBytes ? new Uint8Array([1, 2, 3]) : { field: "f" }];
	const result: unknown = Reflect.apply(Reflect.get(client, id), client, [...names, ...body]);
	await drain(result).catch(() => {});
	return sent;
}

/** Waits for a result; reads the first page of a list, and a stream to its end. */
async function drain(result: unknown): Promise<void> {
	if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return void (await result);
	const events = z.custom<AsyncIterable<unknown>>().parse(result);
	for await (const _ of events) return;
}

/** Returns a pattern of the URLs of an operation. */
function patternOf({ method, path }: Operation): RegExp {
	const escaped = path.replace(/[.?+^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/?]+");
	return new RegExp(`^${method} ${BASE_URL}${escaped}(\\?.*)?$`);
}

function firstOf(sent: readonly Sent[]): Sent {
	const [first] = sent;
	if (first === undefined) throw new Error("Nothing was sent.");
	return first;
}

describe("the SDK and the OpenAPI document", () => {
	it("have the same operations", () => {
		const listed = Object.entries(OPERATIONS).map(([id, { method, path }]) => `${id} ${method} ${path}`);
		expect(listed.toSorted()).toEqual(operations.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted());
	});

	it("have a method for every operation, except those that only redirect a browser", () => {
		const client = new BountyClient({ baseUrl: BASE_URL });
		const missing = operations.filter(({ id }) => typeof Reflect.get(client, id) !== "function");
		expect(missing.map(({ id }) => id)).toEqual(operations.filter(({ isRedirect }) => isRedirect).map(({ id }) => id));
	});

	it.each(operations.filter(({ isRedirect }) => !isRedirect))("agree on $method $path", async (operation) => {
		const { request, contentType } = firstOf(await requestsOf(operation));
		if (operation.isSigned) expect(request).toBe(`${operation.method} ${SIGNED}`);
		else expect(request).toMatch(patternOf(operation));
		expect(operation.bodyTypes.length === 0 ? null : operation.bodyTypes).toEqual(
			contentType === null ? null : expect.arrayContaining([contentType.split(";", 1)[0]]),
		);
	});

	it.each(operations.filter(({ isRedirect }) => isRedirect))("agree on the URL of $id, which a browser opens", (operation) => {
		const client = new BountyClient({ baseUrl: BASE_URL });
		const id = z.custom<keyof typeof OPERATIONS>((value) => typeof value === "string" && value in OPERATIONS).parse(operation.id);
		expect(`GET ${client.url(id, { path: { provider: "google" } })}`).toMatch(patternOf(operation));
	});
});

describe("fields", () => {
	it("are the type of what they select", async () => {
		const client = new BountyClient({
			baseUrl: BASE_URL,
			apiKey: "svc_sk_1",
			fetch: async (url) => Response.json({ asked: new URL(`${url}`).searchParams.get("fields"), status: "open", quota: {}, entries: [] }),
		});
		const some = await client.getTask(ID, { fields: "status,quota" });
		expectTypeOf(some).toEqualTypeOf<Pick<Schemas["TaskDetail"], "status" | "quota">>();
		expectTypeOf(await client.getTask(ID)).toEqualTypeOf<Schemas["TaskDetail"]>();
		expectTypeOf(await client.getSubmission(ID, {}, { maxRetries: 0 })).toEqualTypeOf<Schemas["Submission"]>();
		expectTypeOf(await client.getLeaderboard(ID, { limit: 1 })).toEqualTypeOf<Schemas["Leaderboard"]>();
		// Any field may be missing if the names are known only at run time.
		const names: string = ["status"].join();
		expectTypeOf(await client.getTask(ID, { fields: names })).toEqualTypeOf<Partial<Schemas["TaskDetail"]>>();
		const { data } = await client.request("getLeaderboard", { path: { id: ID }, query: { fields: "entries" } });
		expectTypeOf(data).toEqualTypeOf<Pick<Schemas["Leaderboard"], "entries"> | undefined>();
		expectTypeOf((await client.request("getTask", { path: { id: ID } })).data).toEqualTypeOf<Schemas["TaskDetail"] | undefined>();
		expect(some).toMatchObject({ asked: "status,quota", status: "open" });
	});
});
