// Describes one operation of the document from its contract.
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { RATE_LIMITS } from "../../src/http/rate-limit.ts";
import { describeBody } from "./bodies.ts";
import { describeErrors } from "./errors.ts";
import { pageUrl } from "./introduction.ts";
import type { Json } from "./json.ts";
import { describeParameters } from "./parameters.ts";
import { describeSuccesses } from "./responses.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Describes an operation. Adds its named schemas to the collection. */
export function describeOperation(contract: EndpointContract, schemas: SchemaCollection): Json {
	const body = describeBody(contract, schemas);
	return {
		operationId: contract.operationId,
		summary: contract.summary,
		description: [contract.description, ...describeCallback(contract), ...describeLimit(contract)].join("\n\n"),
		tags: contract.tags,
		...(contract.page === undefined ? {} : { externalDocs: { url: pageUrl(contract.page), description: "More about this." } }),
		security: securityOf(contract),
		...describeParameters(contract, schemas),
		...(body === null ? {} : { requestBody: body }),
		responses: { ...describeSuccesses(contract, schemas), ...describeErrors(contract, schemas) },
	};
}

/** Returns the security of an operation: a list of alternatives. All schemes of one alternative are needed together. */
function securityOf({ auth, method }: EndpointContract): readonly Json[] {
	const session = { SessionCookie: [], ...(method === "get" ? {} : { CsrfToken: [] }) };
	switch (auth) {
		case "key":
			return [{ BearerApiKey: [] }, session];
		case "session":
			return [session];
		case "operator":
			return [{ BearerOperatorToken: [] }];
		case "signed":
			return [{ SignedUrl: [] }];
		case "admin":
			return [{ BearerAdminToken: [] }];
		case "callback":
		case "none":
			return [];
	}
}

/** Describes a credential in the body, for which OpenAPI has no security scheme. */
function describeCallback({ auth }: EndpointContract): string[] {
	return auth === "callback" ? ["**Credential:** the task's callback token, in `callback_token` of the body."] : [];
}

const SHARED_BY = {
	general: "",
	search: "",
	mutation: ", shared by creating, publishing and closing tasks and recording deals",
	submission: ", shared by submitting files, checks and dry runs, over all tasks",
} as const;

function describeLimit({ rate }: EndpointContract): string[] {
	if (rate === "none") return [];
	return [`**Limit:** ${RATE_LIMITS[rate]} requests per minute and ${rate === "search" ? "key" : "IP address"}${SHARED_BY[rate]}.`];
}
