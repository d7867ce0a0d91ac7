import { callObject } from "../compose/object-of.ts";
import { consoleLog, describeError } from "../platform/log.ts";
import type { TopicEntry } from "../ports/topics.ts";

export interface WaitingRelay {
	readonly name: string;
	readonly membership: string;
	/** The number of the last entry that the relay received. */
	readonly delivered: number;
	/** The entries that the relay has not received yet. */
	readonly entries: readonly TopicEntry[];
}

/**
 * Sends each relay the entries that it has not received, and records that it has them. Removes relays without sockets. A relay that cannot
 * be reached gets its entries later.
 */
export async function tellRelays(
	env: Env,
	relays: readonly WaitingRelay[],
	log: { confirm(relay: string, delivered: number): void; unwatch(relay: string, membership: string): void },
): Promise<void> {
	await Promise.all(
		relays.map(async ({ name, membership, delivered, entries }) => {
			try {
				const sockets = await callObject(env, { namespace: env.TOPIC_RELAY, name }, (relay) => relay.deliver(entries));
				if (sockets === 0) log.unwatch(name, membership);
				else log.confirm(name, entries.at(-1)?.seq ?? delivered);
			} catch (error) {
				consoleLog.error("relay_failed", { relay: name, ...describeError(error) });
			}
		}),
	);
}
