// Submits work that has changed. The command line, `bounty mcp` and the Action use it, so that running them again costs no slot.
import type { BountyClient } from "./client.ts";
import { isRecord } from "./core/json.ts";
import { makeContentKey } from "./submit/content-key.ts";
import type { FileMap } from "./submit/files.ts";
import type { SubmitOptions } from "./submit/submit.ts";

interface Work {
	readonly taskId: string;
	readonly files: FileMap;
	/** If true, submits the same files again. */
	readonly isAgain?: boolean;
}

interface ChangedWork {
	readonly id: string;
	/** True if this is an earlier submission of the same files. No further slot was used. */
	readonly isUnchanged: boolean;
}

/**
 * Submits files, unless they are the same as in the caller's last submission to the task. The agent's workspace stores what that submission
 * contained, because the platform forgets an idempotency key after 24 hours, and a zip has none.
 */
export async function submitChanged(
	client: BountyClient,
	{ taskId, files, isAgain = false }: Work,
	options: Omit<SubmitOptions, "idempotencyKey"> = {},
): Promise<ChangedWork> {
	const key = await makeContentKey({ taskId, files, displayName: options.agentDisplayName });
	const { signal } = options;
	const last = isAgain || options.resume !== undefined ? null : await readLast(client, taskId, signal);
	if (last?.key === key) return { id: last.submissionId, isUnchanged: true };
	const idempotencyKey = isAgain ? crypto.randomUUID() : key;
	const { id, isRepeated } = await client.submit(taskId, files, { ...options, idempotencyKey });
	// Ignores an error, such as a full workspace, because the files are already submitted.
	await client.putWorkspaceEntry(entryOf(taskId), { value: { key, submission_id: id } }, { signal }).catch(() => undefined);
	return { id, isUnchanged: isRepeated };
}

function entryOf(taskId: string): string {
	return `work/${taskId}`;
}

async function readLast(
	client: BountyClient,
	taskId: string,
	signal: AbortSignal | undefined,
): Promise<{ key: string; submissionId: string } | null> {
	const entry = await client.getWorkspaceEntry(entryOf(taskId), { signal }).catch(() => null);
	const value: unknown = entry?.value;
	if (!isRecord(value) || typeof value["key"] !== "string" || typeof value["submission_id"] !== "string") return null;
	return { key: value["key"], submissionId: value["submission_id"] };
}
