// Keeps drafts in this browser until the platform has them.
import { type Draft, draft } from "../rules/draft.ts";

/** The owner of drafts that were written before signing in. */
export const VISITOR = "visitor";

const itemOf = (agentId: string, taskId: string | null): string => `console.draft.${agentId}.${taskId ?? "new"}`;

/** Reads unsaved text. Returns null if there is none, or if another version of the console wrote it. */
export function readLocalDraft(agentId: string, taskId: string | null): Draft | null {
	const text = localStorage.getItem(itemOf(agentId, taskId));
	if (text === null) return null;
	try {
		return draft.safeParse(JSON.parse(text)).data ?? null;
	} catch {
		return null;
	}
}

/** Returns true if this browser has an unsaved new task that was written before signing in. */
export function hasVisitorDraft(): boolean {
	return readLocalDraft(VISITOR, null) !== null;
}

export function writeLocalDraft(agentId: string, taskId: string | null, value: Draft | null): void {
	if (value === null) localStorage.removeItem(itemOf(agentId, taskId));
	else localStorage.setItem(itemOf(agentId, taskId), JSON.stringify(value));
}
