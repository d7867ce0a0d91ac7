// Watchers of streams follow topics. Entries go from the objects that change to the Workers that serve the streams.
import * as z from "zod";

const TOPIC_KINDS = ["bounties", "task", "submission", "leaderboard", "inbox"] as const;

/** What the watchers of a stream follow. */
export interface Topic {
	readonly kind: (typeof TOPIC_KINDS)[number];
	/** A task's id, `<task>/<submission>`, or the agent's id for an inbox. Empty for the bounties. */
	readonly id: string;
}

export function topicName({ kind, id }: Topic): string {
	return id === "" ? kind : `${kind}:${id}`;
}

/** Parses a name from {@link topicName}. */
export function parseTopicName(name: string): Topic {
	const [prefix, id = ""] = name.split(":");
	const kind = TOPIC_KINDS.find((one) => one === prefix);
	if (kind === undefined) throw new Error(`No topic is called ${name}`);
	return { kind, id };
}

/** How many of the last bounties a client can resume from. */
export const REPLAY_LIMIT = 256;
/** The number of sockets of a relay. The next watcher goes to another relay. */
export const RELAY_CAPACITY = 1_500;

/**
 * Names the relay that a watcher tries: the first one, then a random one of an increasing number. After a few attempts, a crowd is spread
 * over as many relays as it needs.
 *
 * @param attempt 0 for the first.
 * @param random From 0 to 1.
 */
export function relayName({ topic, region, attempt, random }: { topic: Topic; region: string; attempt: number; random: number }): string {
	const first = 2 ** attempt - 1;
	return `${topicName(topic)}|${region}|${first + Math.floor(random * 2 ** attempt)}`;
}

/** An entry is one step of a topic, which every watcher gets. */
export const topicEntry = z.object({
	/** A state's revision, or the position of a bounty in the log or of an entry in an inbox. */
	seq: z.number().int(),
	/** JSON for all watchers. Null if each watcher reads for itself, and for a hidden bounty. */
	data: z.string().nullable(),
});

export type TopicEntry = z.infer<typeof topicEntry>;

/** The first message on a socket. */
const topicHello = z.object({
	/** The number of the topic's state when the relay began to watch for this socket. */
	seq: z.number().int(),
});

export const topicMessage = z.union([z.object({ hello: topicHello }), z.object({ entries: z.array(topicEntry) })]);

/** What a relay subscribes to a topic with. */
export interface Subscription {
	readonly topic: string;
	readonly relay: string;
	/** Identifies the relay's current subscription. A new one begins each time that it joins. */
	readonly membership: string;
}
