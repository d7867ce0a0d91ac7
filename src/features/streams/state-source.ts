// What a state stream follows: the types that its parts share.
import type { Topic } from "../../domain/topics.ts";
import type { TopicEntry } from "../../ports/topics.ts";

export interface State {
	/** Later states of one source have larger numbers. */
	readonly number: number;
	/** The same where there is nothing new to see; null where every state is shown. */
	readonly version: string | null;
	/** What the client gets. */
	readonly json: string;
	/** Whether nothing is expected to follow. */
	readonly isFinal: boolean;
}

/** What one read has found. */
export interface Reading {
	readonly present: State;
	/** Every state after the one that was asked for, the present one included, as far as it is known. */
	readonly changes: readonly State[];
}

export interface StateSource {
	readonly event: "submission" | "leaderboard" | "task";
	readonly topic: Topic;
	/** Least time between two events, in milliseconds. Only the latest of the states in between is sent; 0 sends every state. */
	readonly gapMs: number;
	/** The present state as this caller sees it, and what came after state `after`. Throws what the plain endpoint answers. */
	read(after: number | null): Promise<Reading>;
	/** The state in a topic's entry as this caller sees it; null where each caller reads for itself. */
	readonly render: ((entry: TopicEntry, data: string) => State | Promise<State>) | null;
}
