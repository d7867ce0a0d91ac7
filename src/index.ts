import { createApp } from "./app.ts";
import { backgroundIn, createDeps } from "./compose/create-deps.ts";
import { readBookmark } from "./http/middlewares.ts";
import { isSafeMethod } from "./http/session-cookie.ts";
import { labelSpan } from "./platform/tracing.ts";
import type { Deps } from "./ports/deps.ts";
import { consumeBatch, listRequestIds } from "./queues/index.ts";
import { runCron } from "./queues/sweeps.ts";

export { Bounties } from "./durable-objects/bounties.ts";
export { Grader } from "./durable-objects/grader.ts";
export { Grants } from "./durable-objects/grants.ts";
export { TargetHost } from "./durable-objects/target-host.ts";
export { Task } from "./durable-objects/task.ts";
export { TopicRelay } from "./durable-objects/topic-relay.ts";
export { Watch } from "./durable-objects/watch.ts";
export { WebhookSender } from "./durable-objects/webhook-sender.ts";
export { Workspace } from "./durable-objects/workspace.ts";

function openDeps(
	env: Env,
	ctx: Pick<ExecutionContext, "waitUntil" | "cache">,
	reading: Pick<Parameters<typeof createDeps>[0], "readFrom" | "isReader">,
): Deps {
	return createDeps({ env, background: backgroundIn(ctx), ...reading, cache: ctx.cache });
}

const PRIMARY = { readFrom: "first-primary" } as const;

const app = createApp(({ env, executionCtx, req }) => {
	// While the database is overloaded, reads are rejected first. Reads by operators are not, because they must see what happens.
	const isReader = isSafeMethod(req.raw) && !req.path.startsWith("/api/admin/");
	return openDeps(env, executionCtx, { readFrom: readBookmark(req.raw), isReader });
});

export default {
	async fetch(request, env, ctx) {
		const response = await app.fetch(request, env, ctx);
		labelSpan(response.headers.get("X-Request-Id"));
		return response;
	},
	async queue(batch, env, ctx) {
		labelSpan(listRequestIds(batch));
		await consumeBatch(batch, () => openDeps(env, ctx, PRIMARY));
	},
	async scheduled(_controller, env, ctx) {
		await runCron(openDeps(env, ctx, PRIMARY));
	},
} satisfies ExportedHandler<Env>;
