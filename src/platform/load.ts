import { type Clock, SECOND_MS } from "./clock.ts";

/** For how long after an overload of a database or an object reads of it are rejected without a call. */
const SHED_MS = 5 * SECOND_MS;
/** The maximum number of databases and objects that are remembered. */
const MAX_NAMES = 1_000;

/** Remembers which databases and Durable Objects have just rejected a call because they are overloaded. Each isolate has one `Load`. */
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
