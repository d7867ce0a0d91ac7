import { consumeBatch } from "../queues/index.ts";
import { createApp } from "./app.ts";
import { createDeps, type Deps } from "./deps.ts";
import { readBookmark } from "./http/bookmark.ts";
import { consoleLog, describeError } from "./platform/log.ts";
import { runScheduled } from "./scheduled.ts";

export { TaskDeadline } from "../durable-objects/task-deadline.ts";
export { Workspace } from "../durable-objects/workspace.ts";

/** Dependencies whose background work outlives the answer and whose failures are logged. */
function openDeps(env: Env, ctx: ExecutionContext, readFrom: Parameters<typeof createDeps>[0]["readFrom"]): Deps {
	const background = (work: Promise<unknown>) => {
		ctx.waitUntil(work.catch((error: unknown) => consoleLog.error("background_failed", describeError(error))));
	};
	return createDeps({ env, background, readFrom });
}

export default {
	fetch(request, env, ctx) {
		return createApp((raw) => openDeps(env, ctx, readBookmark(raw))).fetch(request);
	},
	async queue(batch, env, ctx) {
		await consumeBatch(batch, () => openDeps(env, ctx, "first-primary"));
	},
	async scheduled(_controller, env, ctx) {
		await runScheduled(() => openDeps(env, ctx, "first-primary"));
	},
} satisfies ExportedHandler<Env>;
