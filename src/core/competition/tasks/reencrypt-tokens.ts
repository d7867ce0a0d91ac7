// After SECRETS_KEY is rotated, re-encrypts the callback tokens and invite codes in Task objects. A task's card says which key encrypted
// them.

import { CALLBACK_TOKEN_PURPOSE, INVITE_CODE_PURPOSE } from "../../../db/encrypted-columns.ts";
import { reencrypt } from "../../../platform/encryption.ts";
import { keyIdOf } from "../../../platform/keyring.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { selectEncryptedByOthers } from "../directory/locate.ts";
import { readTask, updateTaskRow } from "./store.ts";

/** The encrypted columns of a task, and the purpose for which each column's key is derived. */
const ENCRYPTED = {
	evalCallbackTokenEncrypted: { purpose: CALLBACK_TOKEN_PURPOSE, column: "eval_callback_token_encrypted" },
	inviteCodeEncrypted: { purpose: INVITE_CODE_PURPOSE, column: "invite_code_encrypted" },
} as const;

type SecretName = keyof typeof ENCRYPTED;

const readEncryptedSecret = taskVerb("readEncryptedSecret", (task, { name }: { name: SecretName }) => readTask(task)[name]);

/** Replaces an encrypted secret, unless it was replaced in the meantime. */
const replaceEncryptedSecret = taskVerb(
	"replaceEncryptedSecret",
	(task, { name, from, to }: { name: SecretName; from: string; to: string }): void => {
		if (readTask(task)[name] === from) updateTaskRow(task, { [name]: to });
	},
);

const TASKS_AT_ONCE = 25;
const MAX_PAGES = 20;

/**
 * Re-encrypts the secrets of a few hundred tasks with the current key, if the previous key encrypted them. Does nothing without a previous
 * key.
 */
export async function reencryptTokens(deps: Deps): Promise<void> {
	const { current, previous } = deps.config.keys;
	if (previous === null) return;
	const keyId = await keyIdOf(current);
	let after = "";
	for (let read = 0; read < MAX_PAGES; read += 1) {
		const ids = await selectEncryptedByOthers(deps, { keyId, after, limit: TASKS_AT_ONCE });
		const last = ids.at(-1);
		if (last === undefined) return;
		await Promise.all(
			ids.flatMap((id) => [reencryptSecret(deps, id, "evalCallbackTokenEncrypted"), reencryptSecret(deps, id, "inviteCodeEncrypted")]),
		);
		after = last;
	}
}

/** Re-encrypts a secret. If neither key can decrypt it, an even older key encrypted it, and an operator must replace it. */
async function reencryptSecret(deps: Deps, taskId: string, name: SecretName): Promise<void> {
	const { purpose, column } = ENCRYPTED[name];
	try {
		const from = await readEncryptedSecret(deps, taskId, { name });
		const to = from === null ? null : await reencrypt(deps.config.keys, purpose, from);
		if (from !== null && to !== null) await replaceEncryptedSecret(deps, taskId, { name, from, to });
	} catch (error) {
		deps.log.error("secret_not_reencrypted", { table: "tasks", column, id: taskId, ...describeError(error) });
	}
}
