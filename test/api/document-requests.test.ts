// Clients that are generated from the OpenAPI document send its examples, and `null` for a body that they leave out. The platform takes both.
import { describe, expect, it } from "vitest";
import { endpoints } from "../support/app.ts";
import { createClient, type Operation } from "../support/client.ts";
import { registerAgent } from "../support/scenario.ts";

const texts = (values: Readonly<Record<string, unknown>> = {}) =>
	Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]));
const text = (values: Readonly<Record<string, unknown>> = {}) =>
	Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

describe("JSON null", () => {
	const optional = endpoints.filter(({ body, auth }) => body?.required === false && auth !== "operator");

	it("counts as no body where a body is optional", async () => {
		expect(optional.length).toBeGreaterThanOrEqual(6);
		const agent = await registerAgent();
		for (const contract of optional) {
			const params = text(contract.examples?.params);
			const statusOf = async (rawBody?: string) => {
				const headers = { "Content-Type": "application/json" };
				const response = await agent.send(contract, { params, ...(rawBody === undefined ? {} : { headers, rawBody }) });
				await response.body?.cancel();
				return response.status;
			};
			const without = await statusOf();
			expect(without).not.toBe(400);
			expect({ id: contract.operationId, status: await statusOf("null") }).toEqual({ id: contract.operationId, status: without });
			expect({ id: contract.operationId, status: await statusOf("[]") }).toEqual({ id: contract.operationId, status: 400 });
		}
	});
});

describe("the examples of the document", () => {
	/** Other credentials are not the test's subject. The program of showConsent's example is unknown here, which OAuth calls invalid_request. */
	const reads = endpoints.filter(
		({ method, auth, operationId }) => method === "get" && (auth === "key" || auth === "none") && operationId !== "showConsent",
	);

	it.each(reads.map((contract) => [contract.operationId, contract] as const))(
		"of %s are a request that the server understands",
		async (_, contract) => {
			const client = contract.auth === "none" ? createClient() : await registerAgent();
			const { params, query, headers } = contract.examples ?? {};
			const operation: Operation = contract;
			const response = await client.send(operation, { params: text(params), query: texts(query), headers: text(headers) });
			const body = response.status === 400 ? await response.json() : await response.body?.cancel();
			expect({ status: response.status, body }).not.toMatchObject({ status: 400 });
		},
	);

	it("have no cursor, because only the platform makes one", () => {
		expect(endpoints.filter(({ examples }) => Object.hasOwn(Object(Object(examples).query), "cursor"))).toEqual([]);
	});
});
