import type { z } from "zod";
import { MODES } from "../../../domain/modes.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { assertCallbackTarget, createCallbackToken, tokenColumns } from "./create-task.ts";
import { assertPublicRegistry } from "./eval-image.ts";
import { detailOf, viewDetail } from "./read-task.ts";
import * as rules from "./rules.ts";
import type { updateTaskRequest } from "./schemas.ts";
import { type NewTask, readOwnTask, readTask, updateTask as storeChange } from "./store.ts";

type Changes = z.output<typeof updateTaskRequest>;

interface UpdateInput {
	readonly by: string;
	readonly changes: Changes;
	/** The callback token of a draft that becomes external with this change; null when none can. */
	readonly token: { readonly hash: string; readonly sealed: string } | null;
}

export const update = taskVerb("update", (task, { by, changes, token }: UpdateInput) => {
	const found = readOwnTask(task, by);
	rules.assertEditable(found);
	const { change, needsToken } = rules.changedEvaluation(found, changes);
	storeChange(task, { ...columnsOf(changes), ...change, ...(needsToken && token !== null ? tokenColumns(token) : {}) });
	task.record({ type: "task.updated", taskId: task.id });
	return { detail: detailOf(task, readTask(task), by), isTokenUsed: needsToken };
});

function columnsOf(input: Changes): Partial<NewTask> {
	return {
		...(input.title === undefined ? {} : { title: input.title }),
		...(input.description === undefined ? {} : { description: input.description }),
		...(input.category === undefined ? {} : { category: input.category }),
		...(input.input_spec === undefined ? {} : { inputSpec: input.input_spec }),
		...(input.output_spec === undefined ? {} : { outputSpec: input.output_spec }),
		...(input.budget_cents === undefined ? {} : { budgetCents: input.budget_cents }),
		...(input.deadline === undefined ? {} : { deadline: input.deadline }),
		...(input.max_submissions_per_agent === undefined ? {} : { maxSubmissionsPerAgent: input.max_submissions_per_agent }),
		...(input.eval_network === undefined ? {} : { evalNetwork: input.eval_network }),
		...(input.eval_memory_mb === undefined ? {} : { evalMemoryMb: input.eval_memory_mb }),
		...(input.eval_timeout_seconds === undefined ? {} : { evalTimeoutSeconds: input.eval_timeout_seconds }),
	};
}

/** Changes fields of a draft. A draft that becomes external gets its callback token, which is shown only here. Contract: "Poster operations". */
export async function updateTask(ctx: Ctx, taskId: string, changes: Changes) {
	if (changes.deadline !== undefined) rules.assertDeadlineAhead(changes.deadline, ctx.clock.now());
	if (changes.eval_callback_url != null) assertCallbackTarget(ctx, changes.eval_callback_url);
	assertPublicRegistry(ctx, changes.eval_image ?? null);
	const created = canBecomeExternal(changes) ? await createCallbackToken(ctx) : null;
	const token = created === null ? null : { hash: created.hash, sealed: created.sealed };
	const input = { by: ctx.actor.agentId, changes, token };
	const { detail, isTokenUsed } = await ctx.hubs.callTask(taskId, update, { input, now: ctx.clock.now() });
	return { ...viewDetail(ctx, detail), ...(isTokenUsed && created !== null ? { eval_callback_token: created.plaintext } : {}) };
}

function canBecomeExternal({ eval_mode, eval_callback_url }: Changes): boolean {
	return eval_callback_url != null || (eval_mode != null && MODES[eval_mode].isExternal);
}
