import type { DomainEvent } from "../../events/domain.ts";
import type { BountyFilters } from "./contract.ts";
import type { Topic } from "./topics.ts";

/** Two states of one stream are at least this far apart. Contract: "Streams", at most two leaderboard events a second. */
export const LEADERBOARD_GAP_MS = 500;

/** The topics that an event changes something for. */
export function topicsOf(event: DomainEvent): Topic[] {
	switch (event.type) {
		case "task.opened":
			return [{ kind: "bounties", id: "" }];
		case "task.updated":
		case "task.status_changed":
			return [
				{ kind: "task", id: event.taskId },
				{ kind: "leaderboard", id: event.taskId },
			];
		case "submission.created":
		case "submission.running":
		case "submission.failed":
			return [{ kind: "submission", id: event.submissionId }];
		case "submission.completed":
			return [
				{ kind: "submission", id: event.submissionId },
				{ kind: "leaderboard", id: event.taskId },
			];
		// Each comes with another event of the same change.
		case "task.closed":
		case "task.matched":
		case "evaluation.completed":
		case "deal.created":
			return [];
	}
}

interface Bounty {
	readonly category: string;
	readonly budget_cents: number;
	/** ISO 8601. */
	readonly deadline: string;
}

/** Whether a watcher asked for this task. */
export function matchesFilters(bounty: Bounty, { category, min_budget_cents, deadline_after }: BountyFilters): boolean {
	if (category !== undefined && !category.includes(bounty.category)) return false;
	if (min_budget_cents !== undefined && bounty.budget_cents < min_budget_cents) return false;
	return deadline_after === undefined || Date.parse(bounty.deadline) > deadline_after;
}

/** What the id of a state's event says: `<number>-<version>`, or `<number>-<version>-end` of the last word. */
export interface StateEventId {
	readonly version: string;
	readonly isEnd: boolean;
}

export function formatStateId(seq: number, version: string): string {
	return `${seq}-${version}`;
}

export function formatEndId(seq: number, version: string): string {
	return `${seq}-${version}-end`;
}

/** Reads an id that {@link formatStateId} or {@link formatEndId} made; null for anything else. */
export function parseStateId(id: string | undefined): StateEventId | null {
	const match = /^\d{1,15}-([0-9a-f]{16})(-end)?$/.exec(id ?? "");
	return match?.[1] === undefined ? null : { version: match[1], isEnd: match[2] !== undefined };
}

/** The entry that a bounty's id names; null for anything else. */
export function parseEntryId(id: string | undefined): number | null {
	return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : null;
}
