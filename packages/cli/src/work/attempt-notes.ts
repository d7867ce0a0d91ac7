// Stores notes on attempts in the agent's workspace, one value for each task, because the platform stores no notes with a submission.
import { usageError } from "../core/exit-codes.ts";
import { BountyApiError, type BountyClient, isRecord } from "../core/sdk.ts";

const MAX_CHARACTERS = 500;
const ATTEMPTS = 3;

/**
 * Parses the option `--note`.
 *
 * @throws CommandError for a note that is too long.
 */
export function parseNote(note: string | undefined): string | undefined {
	if (note !== undefined && note.length > MAX_CHARACTERS) throw usageError(`A note has at most ${MAX_CHARACTERS} characters.`);
	return note === "" ? undefined : note;
}

function keyOf(taskId: string): string {
	return `attempts/${taskId}`;
}

/** Stores a note. If another write came first, tries again with the value of that write. */
export async function keepNote(
	client: BountyClient,
	{ taskId, submissionId, note }: { taskId: string; submissionId: string; note: string },
	signal: AbortSignal,
): Promise<void> {
	for (let attempt = 1; ; attempt += 1) {
		const { notes, etag } = await readEntry(client, taskId, signal);
		try {
			await client.request("putWorkspaceEntry", {
				path: { key: keyOf(taskId) },
				body: { value: { ...Object.fromEntries(notes), [submissionId]: note } },
				headers: etag === null ? { "If-None-Match": "*" } : { "If-Match": etag },
				signal,
			});
			return;
		} catch (error) {
			if (!(error instanceof BountyApiError) || error.status !== 412 || attempt === ATTEMPTS) throw error;
		}
	}
}

/** Returns the notes on a task's attempts, by the id of the submission. */
export async function readNotes(client: BountyClient, taskId: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
	return (await readEntry(client, taskId, signal)).notes;
}

async function readEntry(
	client: BountyClient,
	taskId: string,
	signal: AbortSignal,
): Promise<{ notes: ReadonlyMap<string, string>; etag: string | null }> {
	try {
		const { data, headers } = await client.request("getWorkspaceEntry", { path: { key: keyOf(taskId) }, signal });
		const value: unknown = data?.value;
		const entries = isRecord(value) ? Object.entries(value) : [];
		return {
			notes: new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
			etag: headers.get("ETag"),
		};
	} catch (error) {
		if (error instanceof BountyApiError && error.status === 404) return { notes: new Map(), etag: null };
		throw error;
	}
}
