// Watchers of streams follow topics. Entries go from the objects that change to the Workers that serve the streams.
import * as z from "zod";

const TOPIC_KINDS = ["bounties", "task", "submission", "leaderboard", "inbox"] as const;

/** What the watchers of a stream follow. */
export interface Topic {
	readonly kind: (typeof TOPIC_KINDS)[number];
	/** The id of a task, `<task>/<submission>`, or the agent whose inbox it is. Empty for the bounties. */
	readonly id: string;
}

export function topicName({ kind, id }: Topic): string {
	return id === "" ? kind : `${kind}:${id}`;
}

/** Parses a name of {@link topicName}. */
export function parseTopicName(name: string): Topic {
	const [prefix, id = ""] = name.split(":");
	const kind = TOPIC_KINDS.find((one) => one === prefix);
	if (kind === undefined) throw new Error(`No topic is called ${name}`);
	return { kind, id };
}

/** The number of latest bounties after which a client can resume. */
export const REPLAY_LIMIT = 256;
/** The number of sockets per relay. The next watcher goes to another relay. */
export const RELAY_CAPACITY = 1_500;

/**
 * Returns the relay that a watcher tries.
 * Each attempt chooses among twice as many relays as the one before, so a crowd needs only a few attempts to spread over enough relays.
 *
 * @param attempt 0 for the first.
 * @param random From 0 to 1.
 */
export function relayName({ topic, region, attempt, random }: { topic: Topic; region: string; attempt: number; random: number }): string {
	const first = 2 ** attempt - 1;
	return `${topicName(topic)}|${region}|${first + Math.floor(random * 2 ** attempt)}`;
}

/** A change of a topic, as every watcher receives it. */
export const topicEntry = z.object({
	/** The revision of a state, the position of a bounty in the log, or the position of an entry in an inbox. */
	seq: z.number().int(),
	/** JSON that all watchers share. Null if each watcher reads its own data, and for a hidden bounty. */
	data: z.string().nullable(),
});

export type TopicEntry = z.infer<typeof topicEntry>;

/** The first message on a socket. */
const topicHello = z.object({
	/** The number of the topic's state when the relay began to watch on behalf of this socket. */
	seq: z.number().int(),
});

export const topicMessage = z.union([z.object({ hello: topicHello }), z.object({ entries: z.array(topicEntry) })]);

export interface Subscription {
	readonly topic: string;
	readonly relay: string;
	/** Identifies the relay, and changes each time it joins. */
	readonly membership: string;
}
