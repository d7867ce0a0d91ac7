// The examples of the OpenAPI document are valid, exist in every place, and cover the events that the platform sends.
import { describe, expect, it } from "vitest";
import { buildOpenApiDocument } from "../../scripts/openapi/document.ts";
import { eventsOfStream } from "../../scripts/openapi/stream-events.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";
import { endpoints } from "../../src/compose/endpoints.ts";
import { writeBody } from "../../src/core/events/webhooks/rules.ts";
import { ERRORS, wireCodeOf } from "../../src/domain/errors.ts";
import { type DomainEvent, WEBHOOK_EVENTS, webhookMessageOf } from "../../src/domain/events.ts";
import { errorCodesOf } from "../../src/http/endpoint.ts";
import { readClosedDocument } from "../support/closed-document.ts";
import { EXPECTED_EVENTS } from "../support/events.ts";
import type { MediaType, Operation } from "../support/openapi-document.ts";

const contracts = endpoints;
const document = readClosedDocument();
const all = [...document.operations, ...document.webhooks.values()];

interface Place {
	readonly at: string;
	readonly media: MediaType;
}

/** Returns the bodies and responses of an operation, by their place. */
function mediaOf({ operationId, requestBody, responses }: Operation): Place[] {
	const bodies = Object.entries(requestBody?.content ?? {}).map(([type, media]) => ({ at: `${operationId} body ${type}`, media }));
	const answers = Object.entries(responses).flatMap(([status, { content }]) =>
		Object.entries(content ?? {}).map(([type, media]) => ({ at: `${operationId} ${status} ${type}`, media })),
	);
	return [...bodies, ...answers];
}

const valuesOf = ({ example, examples }: MediaType): unknown[] => [
	...(example === undefined ? [] : [example]),
	...Object.values(examples ?? {}).map(({ value }) => value),
];

/** Errors of MCP have the form of JSON-RPC, so they show none of the platform's. */
const ownErrors = new Set<string>(contracts.filter(({ errorBody }) => errorBody !== undefined).map(({ operationId }) => operationId));
const withEnvelope = contracts.filter(({ errorBody }) => errorBody === undefined);

/** Only the platform can make the first two values, and the last one cannot be combined with the other examples of its operation. */
const WITHOUT_EXAMPLE = ["X-D1-Bookmark", "cursor", "owner"];

describe("examples", () => {
	it("all fit their schemas", () => {
		const places = all.flatMap(mediaOf);
		const checked = places.flatMap(({ at, media }) =>
			valuesOf(media).map((value) => ({ at, faults: document.faultsOf(media.schema, value) })),
		);
		expect(checked.length).toBeGreaterThan(500);
		expect(checked.filter(({ faults }) => faults.length > 0)).toEqual([]);
	});

	it("fail the same check once they are wrong", () => {
		const { requestBody, responses } = document.find("createTask");
		const body = requestBody?.content["application/json"];
		const answer = responses["201"]?.content?.["application/json"];
		const [valid] = Object.values(body?.examples ?? {});
		const [answered] = Object.values(answer?.examples ?? {});
		const broken = { ...Object(valid?.value), budget_cents: 1 };
		expect(document.faultsOf(body?.schema ?? {}, broken)).toEqual(["/budget_cents must be >= 10000"]);
		expect(document.faultsOf(answer?.schema ?? {}, { ...Object(answered?.value), surplus: 1 })).not.toEqual([]);
	});

	it("exist for every body and every response in JSON, text or events", () => {
		const isOwnError = (at: string) => /^\w+ [45]/.test(at) && ownErrors.has(at.slice(0, at.indexOf(" ")));
		const without = all
			.flatMap(mediaOf)
			.filter(({ at, media }) => !/\*\/\*|octet-stream|multipart|zip|png|html|markdown|plain/.test(at) && valuesOf(media).length === 0)
			.filter(({ at }) => !isOwnError(at));
		expect(without.map(({ at }) => at)).toEqual([]);
	});

	it("exist for every parameter, with a description, and fit it", () => {
		const faults = document.operations.flatMap(({ operationId, parameters }) =>
			(parameters ?? [])
				.map(({ name, description, schema, example, ...rest }) => ({
					at: `${operationId} ${rest.in} ${name}`,
					faults: [
						...(description === undefined ? ["has no description"] : []),
						...(example === undefined && !WITHOUT_EXAMPLE.includes(name) ? ["has no example"] : []),
						...(example === undefined ? [] : document.faultsOf(schema, example)),
					],
				}))
				.filter((parameter) => parameter.faults.length > 0),
		);
		expect(faults).toEqual([]);
	});

	it("show each error code of each operation under its status", () => {
		for (const contract of withEnvelope) {
			const { responses } = document.find(contract.operationId);
			const expected = errorCodesOf(contract).map((code) => `${ERRORS[code].status} ${wireCodeOf(code)}`);
			const shown = Object.entries(responses).flatMap(([status, { content }]) =>
				Object.values(content?.["application/json"]?.examples ?? {})
					.map(({ value }) => Object(value).error?.data?.code ?? Object(value).error?.code)
					.filter((code) => code !== undefined)
					.map((code) => `${status} ${code}`),
			);
			expect({ at: contract.operationId, codes: shown.toSorted() }).toEqual({ at: contract.operationId, codes: expected.toSorted() });
		}
	});
});

describe("operations", () => {
	it("have a body of fields if they accept a form", () => {
		const forms = document.operations.flatMap(({ operationId, requestBody }) => {
			const form = requestBody?.content["multipart/form-data"];
			return form === undefined ? [] : [{ operationId, fields: Object.keys(Object(form.schema["properties"])) }];
		});
		expect(forms.length).toBeGreaterThanOrEqual(3);
		expect(forms.filter(({ fields }) => !fields.includes("file"))).toEqual([]);
	});

	it("link to pages that exist", () => {
		const text = JSON.stringify(buildOpenApiDocument(contracts));
		const pages = [...text.matchAll(/"externalDocs":\{"url":"https:\/\/bounties\.example(\/docs\/[^"]+)"/g)].map(([, url = ""]) => url);
		expect(pages.length).toBeGreaterThan(20);
		const exists = (url: string) => {
			try {
				return readProjectFile(url.replace("/docs/", "docs/pages/").concat(".mdx")) !== "";
			} catch {
				return false;
			}
		};
		expect([...new Set(pages)].filter((url) => !exists(url))).toEqual([]);
	});

	it("accept a key, an operator token or a session, or nothing", () => {
		const schemes = (id: string) => document.find(id).security.map((each) => Object.keys(each).toSorted());
		expect(schemes("getTask")).toEqual([["BearerApiKey"], ["SessionCookie"]]);
		expect(schemes("createTask")).toEqual([["BearerApiKey"], ["CsrfToken", "SessionCookie"]]);
		expect(schemes("mintChildKey")).toEqual([["BearerOperatorToken"]]);
		expect(schemes("registerAnonymous")).toEqual([]);
		expect(schemes("getSession")).toEqual([["SessionCookie"]]);
		expect(schemes("putArtifact")).toEqual([["SignedUrl"]]);
	});

	it("outside of /api/v1/ are tagged as internal, except the documentation and public reading", () => {
		const outside = document.operations.filter(({ path }) => path.startsWith("/api/") && !path.startsWith("/api/v1/"));
		expect(outside.length).toBeGreaterThan(10);
		const isKnown = ({ tags }: { readonly tags: readonly string[] }) =>
			["Internal", "Documentation", "Public reading", "Administration"].some((tag) => tags.includes(tag));
		expect(outside.filter((operation) => !isKnown(operation)).map(({ path }) => path)).toEqual([]);
	});

	it("with events name each of them", () => {
		const streams = { streamBounties: ["connected", "bounty"], streamSubmission: ["submission", "terminal"] };
		const others = { streamLeaderboard: ["leaderboard", "terminal"], streamTask: ["task", "terminal"] };
		const open = { streamPublicTask: ["task", "leaderboard", "terminal"] };
		for (const [operationId, names] of Object.entries({ ...streams, ...others, ...open })) {
			const media = document.find(operationId).responses["200"]?.content?.["text/event-stream"];
			const events = Object.keys(eventsOfStream(media?.schema ?? {}));
			expect({ operationId, events }).toEqual({ operationId, events: [...names, "error"] });
		}
	});

	it("with events have examples whose data is JSON of the schema that the event names", () => {
		const media = document.operations.flatMap(({ operationId, responses }) => {
			const stream = responses["200"]?.content?.["text/event-stream"];
			// The events of MCP are the protocol's messages.
			return stream === undefined || ["callMcp", "callSignedInMcp"].includes(operationId) ? [] : [{ operationId, stream }];
		});
		expect(media).toHaveLength(6);
		for (const { operationId, stream } of media) {
			const [, event = "", data = ""] = /^event: (.+)\nid: .+\ndata: (.+)\n\n$/.exec(String(stream.example)) ?? [];
			expect({ operationId, faults: document.faultsOfEvent(stream, { event, data }) }).toEqual({ operationId, faults: [] });
			const broken = { event, data: JSON.stringify({ surplus: 1 }) };
			expect(document.faultsOfEvent(stream, broken)).not.toEqual([]);
		}
	});
});

describe("webhooks", () => {
	const subjects = {
		taskId: "01900000-0000-7000-8000-000000000001",
		submissionId: "01900000-0000-7000-8000-000000000002",
		agentId: "01900000-0000-7000-8000-000000000003",
		evaluationId: "01900000-0000-7000-8000-000000000004",
		dealId: "01900000-0000-7000-8000-000000000005",
		questionId: "01900000-0000-7000-8000-000000000006",
		appealId: "01900000-0000-7000-8000-000000000007",
	};
	const facts = {
		task: { category: "data", budgetCents: 10_000, winnerGetsCents: 9_000 },
		submission: { createdAt: "2026-12-02T10:00:00.000Z" },
		evaluation: { dimensions: [{ criterion_name: "All", score: 87.5, reasoning: "Because." }] },
	};
	const { taskId, submissionId, agentId, evaluationId } = subjects;
	const sent: readonly DomainEvent[] = [
		...WEBHOOK_EVENTS.map((event) => EXPECTED_EVENTS[event].make(subjects)),
		{ type: "submission.created", taskId, submissionId, agentId, status: "registered" },
		{ type: "submission.completed", taskId, submissionId, agentId, finalScore: null },
	];
	const schemaOf = (event: string) => document.webhooks.get(event)?.requestBody?.content["application/json"]?.schema ?? { not: {} };

	it("are all events that can be subscribed to, the test, and requests to external judges", () => {
		expect([...document.webhooks.keys()].toSorted()).toEqual([...WEBHOOK_EVENTS, "webhook.test", "external_eval_request"].toSorted());
	});

	it("describe what the platform posts, field by field", () => {
		for (const event of sent) {
			const payload = webhookMessageOf(event)?.toPayload(facts) ?? {};
			const body: unknown = JSON.parse(writeBody({ event: event.type, id: evaluationId, createdAt: 0, payload }));
			expect({ event: event.type, faults: document.faultsOf(schemaOf(event.type), body) }).toEqual({ event: event.type, faults: [] });
			expect(document.faultsOf(schemaOf(event.type), { ...Object(body), surplus: 1 })).not.toEqual([]);
		}
	});

	it("have the headers that verify deliveries", () => {
		for (const { parameters } of document.webhooks.values()) {
			const required = (parameters ?? []).filter((parameter) => parameter.required).map(({ name }) => name);
			expect(required).toEqual([
				"X-Svc-Event",
				"X-Svc-Delivery",
				"X-Svc-Signature",
				"webhook-id",
				"webhook-timestamp",
				"webhook-signature",
			]);
		}
	});
});
