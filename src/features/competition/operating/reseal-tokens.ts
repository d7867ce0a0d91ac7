// A rotation of SECRETS_KEY reaches the callback tokens in the objects of tasks. The card of a task says which key has sealed its token.
import { CALLBACK_TOKEN_PURPOSE } from "../../../db/sealed-columns.ts";
import { keyIdOf } from "../../../platform/keyring.ts";
import { describeError } from "../../../platform/log.ts";
import { reseal } from "../../../platform/sealed.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { selectSealedByOthers } from "../directory/cards.ts";
import { readTask, updateTask } from "../tasks/store.ts";

export const readSealedToken = taskVerb("readSealedToken", (task, _: null) => readTask(task).evalCallbackTokenSealed);

/** A token that was replaced in the meantime stays as it is. */
export const replaceSealedToken = taskVerb("replaceSealedToken", (task, { from, to }: { from: string; to: string }): void => {
	if (readTask(task).evalCallbackTokenSealed === from) updateTask(task, { evalCallbackTokenSealed: to });
});

const TASKS_AT_ONCE = 25;
const MAX_PAGES = 20;

/** Seals with the current key what the previous one has sealed, some hundred tokens for each call. Without a previous key it does nothing. */
export async function resealTokens(deps: Deps): Promise<void> {
	const { current, previous } = deps.config.keys;
	if (previous === null) return;
	const keyId = await keyIdOf(current);
	let after = "";
	for (let read = 0; read < MAX_PAGES; read += 1) {
		const ids = await selectSealedByOthers(deps, { keyId, after, limit: TASKS_AT_ONCE });
		const last = ids.at(-1);
		if (last === undefined) return;
		await Promise.all(ids.map((id) => resealToken(deps, id)));
		after = last;
	}
}

/** A token that neither key opens was sealed before the previous key, and only replacing it helps. */
async function resealToken(deps: Deps, taskId: string): Promise<void> {
	const now = deps.clock.now();
	try {
		const from = await deps.hubs.callTask(taskId, readSealedToken, { input: null, now });
		const to = from === null ? null : await reseal(deps.config.keys, CALLBACK_TOKEN_PURPOSE, from);
		if (from !== null && to !== null) await deps.hubs.callTask(taskId, replaceSealedToken, { input: { from, to }, now });
	} catch (error) {
		deps.log.error("secret_not_resealed", { table: "tasks", column: "eval_callback_token_sealed", id: taskId, ...describeError(error) });
	}
}
