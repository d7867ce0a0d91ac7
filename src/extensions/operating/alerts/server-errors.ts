// Responses with 5xx are counted in the object `Watch`, because an isolate sees only its own requests, and the database may be the cause.
import type { MiddlewareHandler } from "hono";
import { AppError } from "../../../domain/errors.ts";
import type { HonoEnv } from "../../../http/hono-env.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";

/** The minimum time between two writes of an isolate, so that an outage does not add load. */
export const WRITE_EVERY_MS = 10 * SECOND_MS;

/** Creates the middleware that counts responses with 5xx. Ignores those that an operator's switch causes. */
export function countServerErrors(): MiddlewareHandler<HonoEnv> {
	let unwritten = 0;
	let writtenAt = 0;
	return async function countServerErrors(c, next) {
		await next();
		const isPaused = c.error instanceof AppError && c.error.code === "SERVICE_PAUSED";
		if (c.res.status < 500 || isPaused) return;
		const ctx = c.get("ctx");
		const now = ctx.clock.now();
		unwritten += 1;
		if (now - writtenAt < WRITE_EVERY_MS) return;
		const errors = unwritten;
		unwritten = 0;
		writtenAt = now;
		ctx.background(ctx.hubs.callWatch((watch) => watch.addServerErrors({ minute: Math.floor(now / MINUTE_MS), errors })));
	};
}
