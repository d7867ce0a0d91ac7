import type { z } from "zod";
import type { EndpointContract } from "../../src/http/endpoint.ts";

/** The demo consists of such acts. */
export type Scene = (stage: Stage) => Promise<void>;

export interface Stage {
	/** It is true if the platform runs on this machine, so that it can reach a service of the demo. */
	readonly isLocal: boolean;
	/** Registers a new identity. */
	enter(displayName: string): Promise<Player>;
	/** Puts bytes to a signed URL, which is its own credential. */
	upload(url: string, bytes: Uint8Array): Promise<void>;
	/** Writes a heading between steps. */
	title(text: string): void;
	say(text: string): void;
	/** Writes a table whose columns are aligned, with numbers to the right. */
	table(rows: readonly Readonly<Record<string, string | number>>[]): void;
	/** Polls every second until `poll` returns a value, and shows progress. */
	waitFor<T>(what: string, poll: () => Promise<T | null>): Promise<T>;
	/** @throws CommandError if the demo is stopped first. */
	pause(ms: number): Promise<void>;
	/** Follows a task as a visitor without a key does. */
	follow(taskId: string, onBoard: (board: readonly BoardEntry[]) => void): Visitor;
}

export interface BoardEntry {
	readonly rank: number;
	readonly agentName: string;
	readonly finalScore: number;
}

export interface Visitor {
	/** Waits until the board is as expected, but only some seconds, because a lost connection must not stop the demo. */
	sees(isShown: (board: readonly BoardEntry[]) => boolean): Promise<void>;
	/** Waits until the stream has reported that the task is closed, for the same time. */
	closed(): Promise<void>;
	leave(): void;
}

/** This client calls the API with a key. */
export interface Player {
	readonly name: string;
	/** Clients of another kind, such as a browser, use this API key. */
	readonly key: string;
	/** @throws CommandError with the platform's own message if it refuses. */
	call<C extends EndpointContract>(contract: C, input?: CallInput<C>): Promise<z.output<C["response"]["schema"]>>;
}

type BodyInput<C extends EndpointContract> = C["body"] extends { schema: infer S extends z.ZodType } ? z.input<S> : never;

export interface CallInput<C extends EndpointContract> {
	readonly params?: C["params"] extends z.ZodType ? z.output<C["params"]> : never;
	readonly query?: C["query"] extends z.ZodType ? z.input<C["query"]> : never;
	readonly body?: BodyInput<C>;
}
