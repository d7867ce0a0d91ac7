// One operation of the document, from its contract and the notes on it.
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { RATE_LIMITS } from "../../src/http/rate-limit.ts";
import { describeSuccesses } from "./answers.ts";
import { describeBody } from "./bodies.ts";
import { describeErrors } from "./errors.ts";
import { pageUrl } from "./introduction.ts";
import type { Json } from "./json.ts";
import type { OperationNotes } from "./notes/operation-notes.ts";
import { describeParameters } from "./parameters.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Describes an operation. Its named schemas are left in the collection. */
export function describeOperation(contract: EndpointContract, notes: OperationNotes, schemas: SchemaCollection): Json {
	const body = describeBody(contract, notes, schemas);
	return {
		operationId: contract.operationId,
		summary: contract.summary,
		description: [contract.description, ...(notes.details ?? []), ...describeLimit(contract)].join("\n\n"),
		tags: contract.tags,
		...(notes.page === undefined ? {} : { externalDocs: { url: pageUrl(notes.page), description: "More about this." } }),
		security: securityOf(contract, notes),
		...describeParameters(contract, notes, schemas),
		...(body === null ? {} : { requestBody: body }),
		responses: { ...describeSuccesses(contract, notes, schemas), ...describeErrors(contract, notes) },
	};
}

/** Each entry of a list is enough on its own; what one entry holds is needed together. */
function securityOf({ auth, method, errors }: EndpointContract, { needsSession }: OperationNotes): readonly Json[] {
	const session = { SessionCookie: [], ...(method === "get" ? {} : { CsrfToken: [] }) };
	switch (auth) {
		case "key":
			return needsSession === true ? [session] : [{ BearerApiKey: [] }, session];
		case "op":
			return [{ BearerOperatorToken: [] }];
		case "none":
			return errors.includes("UNAUTHORIZED") ? [{ SignedAddress: [] }] : [];
	}
}

const SHARED_BY = {
	general: "",
	mutation: ", shared by creating, publishing and closing tasks and recording deals",
	submission: ", over all tasks",
} as const;

function describeLimit({ rate }: EndpointContract): string[] {
	if (rate === "none") return [];
	return [`**Limit:** ${RATE_LIMITS[rate]} requests a minute from one address${SHARED_BY[rate]}.`];
}
