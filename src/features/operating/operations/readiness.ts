// Whether the deployment can do its work, and whom to tell when it is not safe.

import journal from "../../../../migrations/meta/_journal.json" with { type: "json" };
import { findSchemaLevel } from "../../../db/schema-level.ts";
import { AppError } from "../../../domain/errors.ts";
import { DAY_MS, toIso } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { findQueueAgeMs } from "./store.ts";

type Check = "ok" | "failed";

/** A key that never exists, to test that the bucket responds. */
const PROBE_KEY = "ready/probe";
const RETRY_AFTER_SECONDS = 10;

/**
 * Checks what a request may need. Contract: additions, "Operators".
 *
 * @throws AppError `NOT_READY`, with the checks in its details.
 */
export async function readReadiness(ctx: PublicCtx) {
	const [migration, r2, queue] = await Promise.all([
		attempt(ctx, "migrations", () => findSchemaLevel(ctx.db)),
		attempt(ctx, "r2", () => ctx.bucket.head(PROBE_KEY)),
		attempt(ctx, "queue", () => Promise.all([ctx.switchboard.read(ctx), findQueueAgeMs(ctx)])),
	]);
	const newest = journal.entries.at(-1)?.tag ?? "";
	const isInTime = queue.isOk && (!queue.value[0].judging.on || queue.value[1] <= ctx.config.maxQueueAgeMs);
	const checks = {
		d1: toCheck(migration.isOk),
		r2: toCheck(r2.isOk),
		queue: toCheck(isInTime),
		// Migrations only add, so a Worker also works with a newer schema: while a deploy is under way, and after a rollback.
		migrations: toCheck(migration.isOk && migration.value >= newest),
	};
	if (Object.values(checks).every((check) => check === "ok")) return { status: "ready" as const, checks };
	throw new AppError("NOT_READY", { details: { checks }, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function toCheck(isOk: boolean): Check {
	return isOk ? "ok" : "failed";
}

type Attempted<Value> = { readonly isOk: true; readonly value: Value } | { readonly isOk: false };

async function attempt<Value>(ctx: PublicCtx, check: string, run: () => Promise<Value>): Promise<Attempted<Value>> {
	try {
		return { isOk: true, value: await run() };
	} catch (error) {
		ctx.log.error("not_ready", { check, ...describeError(error) });
		return { isOk: false };
	}
}

const EXPIRES_MS = 180 * DAY_MS;

/** Where to report vulnerabilities, as RFC 9116 describes it. */
export async function showSecurityContact(ctx: PublicCtx): Promise<Response> {
	const { securityContact } = ctx.config;
	if (securityContact === null) throw new AppError("NOT_FOUND", { message: "This deployment has no security contact." });
	const expires = toIso(ctx.clock.now() + EXPIRES_MS);
	const lines = [
		`Contact: ${securityContact}`,
		`Expires: ${expires}`,
		"Preferred-Languages: en",
		`Canonical: ${ctx.baseUrl}/.well-known/security.txt`,
	];
	return new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
