// A rotation of SECRETS_KEY reaches the callback tokens and invite codes in the objects of tasks. The card of a task says which key has
// sealed them.

import { CALLBACK_TOKEN_PURPOSE, INVITE_CODE_PURPOSE } from "../../../db/sealed-columns.ts";
import { keyIdOf } from "../../../platform/keyring.ts";
import { describeError } from "../../../platform/log.ts";
import { reseal } from "../../../platform/sealed.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { selectSealedByOthers } from "../directory/cards.ts";
import { readTask, updateTaskRow } from "./store.ts";

/** These columns of a task have a sealed secret, each with the use that its sealing key is derived for. */
const SEALED = {
	evalCallbackTokenSealed: { purpose: CALLBACK_TOKEN_PURPOSE, column: "eval_callback_token_sealed" },
	inviteCodeSealed: { purpose: INVITE_CODE_PURPOSE, column: "invite_code_sealed" },
} as const;

type SealedName = keyof typeof SEALED;

const readSealedSecret = taskVerb("readSealedSecret", (task, { name }: { name: SealedName }) => readTask(task)[name]);

/** Replaces a sealed secret. A secret that was replaced in the meantime stays as it is. */
const replaceSealedSecret = taskVerb(
	"replaceSealedSecret",
	(task, { name, from, to }: { name: SealedName; from: string; to: string }): void => {
		if (readTask(task)[name] === from) updateTaskRow(task, { [name]: to });
	},
);

const TASKS_AT_ONCE = 25;
const MAX_PAGES = 20;

/** Seals the secrets of some hundred tasks with the current key, if the previous one has sealed them. Without a previous key it does nothing. */
export async function resealTokens(deps: Deps): Promise<void> {
	const { current, previous } = deps.config.keys;
	if (previous === null) return;
	const keyId = await keyIdOf(current);
	let after = "";
	for (let read = 0; read < MAX_PAGES; read += 1) {
		const ids = await selectSealedByOthers(deps, { keyId, after, limit: TASKS_AT_ONCE });
		const last = ids.at(-1);
		if (last === undefined) return;
		await Promise.all(ids.flatMap((id) => [resealSecret(deps, id, "evalCallbackTokenSealed"), resealSecret(deps, id, "inviteCodeSealed")]));
		after = last;
	}
}

/** Seals a secret anew. A secret that neither key opens was sealed before the previous key, and only replacing it helps. */
async function resealSecret(deps: Deps, taskId: string, name: SealedName): Promise<void> {
	const { purpose, column } = SEALED[name];
	try {
		const from = await readSealedSecret(deps, taskId, { name });
		const to = from === null ? null : await reseal(deps.config.keys, purpose, from);
		if (from !== null && to !== null) await replaceSealedSecret(deps, taskId, { name, from, to });
	} catch (error) {
		deps.log.error("secret_not_resealed", { table: "tasks", column, id: taskId, ...describeError(error) });
	}
}
