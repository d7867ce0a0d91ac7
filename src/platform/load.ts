import { type Clock, SECOND_MS } from "./clock.ts";

/** After a database or a Task object was overloaded, requests that only read do not call it for this long. */
const SHED_MS = 5 * SECOND_MS;
/** The maximum number of databases and Task objects that are remembered. */
const MAX_NAMES = 1_000;

/** Remembers which databases and Task objects have just rejected a call because they are overloaded. Each isolate has one `Load`. */
export interface Load {
	noteOverload(name: string): void;
	isOverloaded(name: string): boolean;
}

export function createLoad({ now }: Pick<Clock, "now">): Load {
	const overloadedAt = new Map<string, number>();
	return {
		noteOverload(name) {
			overloadedAt.delete(name);
			const oldest = overloadedAt.size >= MAX_NAMES ? overloadedAt.keys().next().value : undefined;
			if (oldest !== undefined) overloadedAt.delete(oldest);
			overloadedAt.set(name, now());
		},
		isOverloaded: (name) => now() - (overloadedAt.get(name) ?? Number.NEGATIVE_INFINITY) < SHED_MS,
	};
}
