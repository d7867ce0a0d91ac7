// One request through one endpoint. The order of the checks is the contract's: rate limit, authentication, path, body.
import type { Context } from "hono";
import type { z } from "zod";
import { AppError, invalidInput } from "../domain/errors.ts";
import type { Deps, PublicCtx } from "../ports/deps.ts";
import { authenticate, authenticateOperator } from "./authenticate.ts";
import { isJson, readJsonBody } from "./body.ts";
import { type Endpoint, type EndpointContract, type RawInput, Reply } from "./endpoint.ts";
import { assertWithinRateLimit } from "./rate-limit.ts";
import { faultsOf } from "./validation.ts";

export interface Served {
	readonly deps: Deps;
	readonly requestId: string;
	/** Of the path, decoded and not yet checked. */
	readonly params: Readonly<Record<string, string>>;
}

/** Checks a request against an endpoint's contract, runs its handler, and makes the answer. */
export async function serve(c: Context, endpoint: Endpoint, { deps, requestId, params }: Served): Promise<Response> {
	const { contract, handler } = endpoint;
	if (contract.rate !== "none") await assertWithinRateLimit(deps, contract.rate, c.req.raw);
	const baseUrl = deps.config.publicUrl ?? originOf(c.req.url);
	const publicCtx = { ...deps, requestId, baseUrl };
	const ctx = { ...publicCtx, ...(await identify(publicCtx, contract.auth, c.req.raw)) };
	const input = await readInput(c, contract, params);
	// A handler without authentication is typed to see no actor, so none need be there.
	const result = await handler(ctx as Parameters<Endpoint["handler"]>[0], input);
	if (result instanceof Response) return result;
	if (result instanceof Reply) return c.json(result.body, result.status ?? contract.response.status, { ...result.headers });
	return c.json(result ?? {}, contract.response.status);
}

/** Of a request's address, which the runtime has normalised, so that nothing needs parsing. */
function originOf(url: string): string {
	return url.slice(0, url.indexOf("/", url.indexOf("//") + 2));
}

/** What a handler behind this kind of authentication gets to know of the caller. */
async function identify(ctx: PublicCtx, auth: EndpointContract["auth"], request: Request): Promise<object> {
	switch (auth) {
		case "key":
			return { actor: await authenticate(ctx, request, ctx.baseUrl) };
		case "op":
			return { operatorTokenId: await authenticateOperator(ctx, request) };
		case "none":
			return {};
	}
}

async function readInput(c: Context, contract: EndpointContract, path: Served["params"]): Promise<RawInput> {
	const params = contract.params?.safeParse(path);
	if (params?.success === false) throw refuseParams(params.error);
	const query = parseOrRefuse(contract.query, () => readQuery(c));
	const headers = parseOrRefuse(contract.headers, () => c.req.header());
	return { params: params?.data, query, headers, body: await readBody(c, contract), request: c.req.raw };
}

function refuseParams(error: z.ZodError): AppError {
	const isUuidFault = error.issues.some((issue) => issue.code === "invalid_format" && issue.format === "uuid");
	return isUuidFault ? new AppError("INVALID_UUID", { details: faultsOf(error) }) : invalidInput("VALIDATION_ERROR", faultsOf(error));
}

function parseOrRefuse(schema: z.ZodType | undefined, read: () => unknown): unknown {
	if (schema === undefined) return undefined;
	const parsed = schema.safeParse(read());
	if (!parsed.success) throw invalidInput("VALIDATION_ERROR", faultsOf(parsed.error));
	return parsed.data;
}

/** A parameter given once is a string, one given more often an array, which most schemas refuse. */
function readQuery(c: Context): Record<string, string | string[]> {
	const entries = Object.entries(c.req.queries()).map(
		([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values] as const,
	);
	return Object.fromEntries(entries);
}

async function readBody(c: Context, contract: EndpointContract): Promise<unknown> {
	if (contract.body === undefined || (contract.rawBody !== undefined && !isJson(c.req.header("Content-Type")))) return undefined;
	const json = await readJsonBody(c.req.raw, contract.body);
	const parsed = contract.body.schema.safeParse(json);
	if (!parsed.success) throw invalidInput(contract.body.faultCode ?? "INVALID_BODY", faultsOf(parsed.error));
	return parsed.data;
}
