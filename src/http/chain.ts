// Turns an endpoint's contract into a chain of steps, which are Hono middlewares.
import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import { etag } from "hono/etag";
import { tryDecodeURIComponent } from "hono/utils/url";
import { validator } from "hono/validator";
import * as z from "zod";
import { type AdminRole, isRoleEnough } from "../domain/actor.ts";
import { isPossibleAccessToken, isPossibleKey } from "../domain/credentials.ts";
import { SECOND_MS } from "../domain/durations.ts";
import { AppError, invalidInput, sentenceOf } from "../domain/errors.ts";
import { sha256Hex } from "../platform/crypto.ts";
import type { PublicCtx } from "../ports/deps.ts";
import { authenticators, limitPrograms } from "./authenticate.ts";
import { isJson, isLargeBody, readJsonBody } from "./body.ts";
import { type AuthKind, type Endpoint, type EndpointContract, Reply, roleOf } from "./endpoint.ts";
import { uuid } from "./fields.ts";
import { forgetBody } from "./held-bodies.ts";
import type { ChainStep, HonoEnv } from "./hono-env.ts";
import { findOwnRequest } from "./own-requests.ts";
import { type PathMatcher, suffixOf } from "./paths.ts";
import { pausing } from "./pause.ts";
import { limitEverything, rateLimit } from "./rate-limit.ts";
import { readRepeatableCall } from "./repeated-calls.ts";
import { cacheControl } from "./security-headers.ts";
import { fieldsParameter, selectFields } from "./selection.ts";
import { EVENT_STREAM, takeStreamPlace } from "./stream-places.ts";
import { describeIssue, type Faults, faultsOf } from "./validation.ts";

/** The credentials that are not in a header. They are checked after their part of the request has been read. */
const CARRIED_BY: Partial<Readonly<Record<AuthKind, "path" | "body">>> = { signed: "path", callback: "body" };

/** Lists the steps of a request through one endpoint, in the order in which the API documents its checks. */
export function chainOf(endpoint: Endpoint, isPathOf: PathMatcher): ChainStep[] {
	const { auth, rate, query, headers } = endpoint;
	const authenticate = (place: "header" | "path" | "body") => ((CARRIED_BY[auth] ?? "header") === place ? authenticators[auth] : null);
	const steps: readonly (ChainStep | null)[] = [
		ownPath(endpoint, isPathOf),
		limitEverything(),
		cacheControl(endpoint),
		ignoredParameters(endpoint),
		rate === "none" ? null : rateLimit(rate, auth),
		locating(endpoint),
		hasEtag(endpoint) ? etag() : null,
		authenticate("header"),
		limitPrograms(endpoint),
		auth === "admin" ? requiring(roleOf(endpoint)) : null,
		pausing(endpoint),
		pathParams(endpoint),
		authenticate("path"),
		query === undefined ? null : zValidator("query", query, refuseInput, WORDED),
		headers === undefined ? null : zValidator("header", headers, refuseInput, WORDED),
		countedBody(endpoint),
		jsonBody(endpoint),
		authenticate("body"),
		endpoint.response.contentType === EVENT_STREAM ? takeStreamPlace : null,
		respond(endpoint),
	];
	return steps.filter((step) => step !== null);
}

/**
 * Rejects paths that match the endpoint's route in Hono but not its contract. `*` also matches an empty rest and other contracts' literal
 * paths, and `/{id}.svg` also matches paths with another ending.
 */
function ownPath(contract: EndpointContract, isPathOf: PathMatcher): ChainStep | null {
	if (contract.greedyParam === undefined && contract.isBesideParam === undefined && suffixOf(contract) === "") return null;
	return async function ownPath(c, next) {
		return isPathOf(contract, c.req.path) ? next() : c.notFound();
	};
}

function requiring(needed: AdminRole): ChainStep {
	return async function requiring(c, next) {
		const adminRole = c.get("adminRole");
		if (isRoleEnough(adminRole, needed)) return next();
		throw new AppError("FORBIDDEN", { message: `This needs an admin token with the role ${needed}. Yours has the role ${adminRole}.` });
	};
}

const LOCATED_PATH = /\/(?:submissions|dry-runs)\/\{id\}/;

/** While the credential is looked up, starts to look up the task of a submission or dry run, so that both run in parallel. */
function locating({ path, auth }: EndpointContract): ChainStep | null {
	if (!LOCATED_PATH.test(path)) return null;
	return async function locating(c, next) {
		const { data: id } = uuid.safeParse(c.req.param("id"));
		if (id !== undefined && mayBeKnown(auth, c.req.raw))
			c.get("ctx")
				.locate(id)
				.catch(() => undefined);
		await next();
	};
}

/** Returns false if the credential will be rejected without a read of the database. */
function mayBeKnown(auth: AuthKind, { headers }: Request): boolean {
	const authorization = headers.get("Authorization");
	if (auth !== "key") return true;
	return authorization === null ? headers.has("Cookie") : isPossibleCredential(authorization.slice(authorization.lastIndexOf(" ") + 1));
}

function isPossibleCredential(credential: string): boolean {
	return isPossibleKey(credential) || isPossibleAccessToken(credential);
}

/** Makes zod's messages readable for people. Parses synchronously, because no schema is async. */
const WORDED = {
	validationFunction: (schema: z.ZodType, value: unknown) => schema.safeParse(value, { error: describeIssue }),
};

/** Returns true if this chain compares the ETag with `If-None-Match`. For stored bytes, the handlers do that themselves. */
function hasEtag({ method, auth, response }: EndpointContract): boolean {
	const isRevalidated = method === "get" && response.others?.some(({ status }) => status === 304) === true;
	return isRevalidated && (auth === "none" || (auth === "key" && response.contentType === undefined));
}

interface Validation {
	readonly success: boolean;
	readonly error?: Faults | undefined;
}

function refuseInput({ error }: Validation): void {
	if (error !== undefined) throw invalidInput("VALIDATION_ERROR", faultsOf(error));
}

function refuseParams(result: Validation): void {
	const isUuidFault = result.error?.issues.some((issue) => issue.code === "invalid_format" && issue.format === "uuid");
	if (isUuidFault && result.error !== undefined) {
		const details = faultsOf(result.error).map(({ path, message }) => ({ path, message: sentenceOf({ path, message }) }));
		throw new AppError("INVALID_UUID", { details });
	}
	refuseInput(result);
}

/** Reads a greedy parameter from the path, because Hono gives no name to what `*` matches. */
function pathParams(contract: EndpointContract): ChainStep | null {
	const { path, params, greedyParam } = contract;
	if (params === undefined) return null;
	const suffix = suffixOf(contract);
	if (suffix !== "") return paramsBefore(suffix, params);
	if (greedyParam === undefined) return zValidator("param", params, refuseParams, WORDED);
	const names = path.split("/");
	return validator("param", (named, c) => {
		const rest = c.req.path
			.split("/")
			.slice(names.length - 1)
			.join("/");
		const parsed = params.safeParse({ ...named, [greedyParam]: tryDecodeURIComponent(rest) }, { error: describeIssue });
		refuseParams(parsed);
		return parsed.data ?? {};
	});
}

/** Removes the ending, such as `.svg`, because Hono's parameter is the whole last segment. */
function paramsBefore(suffix: string, params: z.ZodObject): ChainStep {
	return validator("param", (values) => {
		const named = Object.entries(values).map(([name, value]) => [name, value.endsWith(suffix) ? value.slice(0, -suffix.length) : value]);
		const parsed = params.safeParse(Object.fromEntries(named), { error: describeIssue });
		refuseParams(parsed);
		return parsed.data ?? {};
	});
}

function countedBody({ body, rawBody }: EndpointContract): ChainStep | null {
	if (body === undefined && rawBody === undefined) return null;
	return async function countedBody(c, next) {
		try {
			await next();
		} finally {
			forgetBody(c.req.raw);
		}
	};
}

/**
 * If a body takes longer than this to arrive, the credential is checked again. Keys are cached for 5 seconds, so a credential that ends in
 * the meantime stops working within 10 seconds.
 */
const READMIT_AFTER_MS = 4 * SECOND_MS;

/** Reads JSON without Hono's validator, for the reasons in body.ts. */
function jsonBody(contract: EndpointContract): ChainStep | null {
	const { body, rawBody } = contract;
	if (body === undefined) return null;
	// A credential in the body is only checked once the body has arrived.
	const authenticate = CARRIED_BY[contract.auth] === "body" ? null : authenticators[contract.auth];
	const accept = (c: Context<HonoEnv>, json: unknown) => {
		const parsed = body.schema.safeParse(json, { error: describeIssue });
		if (!parsed.success) throw invalidInput(body.faultCode ?? "INVALID_BODY", faultsOf(parsed.error));
		c.set("body", parsed.data);
	};
	return async function jsonBody(c, next) {
		const own = findOwnRequest(c.req.raw);
		if (own === null && rawBody !== undefined && !isJson(c.req.header("Content-Type"))) return next();
		try {
			const { clock } = c.get("ctx");
			const admittedAt = clock.now();
			accept(c, own === null ? await readJsonBody(c.req.raw, body, clock) : (own.body ?? {}));
			// If a credential ends while the body arrives, the request must not write more than 10 seconds later.
			if (clock.now() - admittedAt > READMIT_AFTER_MS) await authenticate?.(c, async () => {});
		} catch (fault) {
			if (isLargeBody(c.req.raw)) await anyLook(body)?.(c.get("ctx"), c.req.valid("param"));
			throw fault;
		}
		return next();
	};
}

/** Drops the types of `lookFirst`, as {@link anyInput} does for a handler. */
function anyLook({ lookFirst }: NonNullable<EndpointContract["body"]>) {
	return lookFirst as unknown as ((ctx: PublicCtx, params: unknown) => Promise<unknown>) | undefined;
}

function respond(endpoint: Endpoint): ChainStep {
	const { response, selectable } = endpoint;
	const handle = anyInput(endpoint);
	const isNamed = hasEtag(endpoint);
	return async function respond(c) {
		const { req } = c;
		const input = { params: req.valid("param"), query: req.valid("query"), headers: req.valid("header"), body: c.get("body") };
		const repeatable = await readRepeatableCall(endpoint, c, input.headers);
		const result = await handle(c.get("ctx"), { ...input, repeatable, request: req.raw });
		if (result instanceof Response) return result;
		const reply = result instanceof Reply ? result : new Reply(result ?? {});
		const fields = selectable === undefined ? undefined : namedFields(input.query);
		const body = selectable !== undefined && fields !== undefined ? selectFields(Object(reply.content), fields, selectable) : reply.content;
		const text = JSON.stringify(body);
		// Does not use hono/etag, which would read the whole response again to compute the ETag.
		const etagHeader = isNamed ? { ETag: await etagOf(text) } : {};
		const headers = { "Content-Type": "application/json", ...etagHeader, ...reply.headers };
		return new Response(text, { status: reply.status ?? response.status, headers });
	};
}

type AnyHandler = (ctx: PublicCtx, input: object) => Promise<unknown>;

/** Drops the types of a handler. This is safe, because the chain authenticates and validates with the handler's own contract. */
function anyInput({ handle }: Endpoint): AnyHandler {
	return handle as unknown as AnyHandler;
}

const ETAG_LENGTH = 40;

async function etagOf(text: string): Promise<string> {
	return `"${(await sha256Hex(text)).slice(0, ETAG_LENGTH)}"`;
}

const withFields = z.object({ fields: fieldsParameter });

function namedFields(query: unknown): string | undefined {
	return withFields.parse(query).fields;
}

const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 60;

/** Lists in a response header the query parameters that the endpoint does not have, so that callers notice a misspelt one. */
function ignoredParameters({ auth, query }: EndpointContract): ChainStep | null {
	// The query of a signed URL is its credential, and contracts do not list its parameters.
	if (auth === "signed") return null;
	const parameters = new Set(Object.keys(query?.shape ?? {}));
	return async function ignoredParameters(c, next) {
		await next();
		const { url } = c.req;
		if (!url.includes("?")) return;
		const names = new Set([...new URL(url).searchParams.keys()].filter((name) => !parameters.has(name)));
		if (names.size > 0) c.res.headers.set("X-Ignored-Parameters", formatNames([...names]));
	};
}

/** Percent-encodes the names, because a header allows fewer characters than a URL. */
function formatNames(names: readonly string[]): string {
	const excerpt = names.slice(0, MAX_NAMES).map((name) => encodeURIComponent(name.slice(0, MAX_NAME_CHARACTERS).toWellFormed()));
	return [...excerpt, ...(names.length > MAX_NAMES ? ["..."] : [])].join(", ");
}
