// Clients that watch a stream follow a topic. Entries go from the Durable Object that has changed to relays, and from there to the Workers
// that serve the streams.
import * as z from "zod";

const TOPIC_KINDS = ["bounties", "task", "submission", "leaderboard", "inbox"] as const;

/** The subject of a stream, such as a task, a leaderboard or an inbox. */
export interface Topic {
	readonly kind: (typeof TOPIC_KINDS)[number];
	/** The id of a task, `<task>/<submission>`, or the id of the agent whose inbox is watched. Empty for the new bounties. */
	readonly id: string;
}

export function topicName({ kind, id }: Topic): string {
	return id === "" ? kind : `${kind}:${id}`;
}

/** Parses a name that {@link topicName} returned. Throws if there is no such kind of topic. */
export function parseTopicName(name: string): Topic {
	const [prefix, id = ""] = name.split(":");
	const kind = TOPIC_KINDS.find((one) => one === prefix);
	if (kind === undefined) throw new Error(`No topic is called ${name}`);
	return { kind, id };
}

/** The number of the latest bounties that are kept, so that a client which has lost its connection can resume. */
export const REPLAY_LIMIT = 256;
/** The maximum number of sockets of a relay. Further watchers try other relays. */
export const RELAY_CAPACITY = 1_500;

/**
 * Returns the name of the relay that a watcher tries next. Each attempt chooses from twice as many relays as the one before, so a few
 * attempts spread even a crowd over enough relays.
 *
 * @param attempt The number of the attempt. The first is 0.
 * @param random A random number from 0 up to but not including 1.
 */
export function relayName({ topic, region, attempt, random }: { topic: Topic; region: string; attempt: number; random: number }): string {
	const first = 2 ** attempt - 1;
	return `${topicName(topic)}|${region}|${first + Math.floor(random * 2 ** attempt)}`;
}

/** A change of a topic, as every watcher receives it. */
export const topicEntry = z.object({
	/** The revision of the topic's state, or the position of a bounty in the log or of an entry in an inbox. */
	seq: z.number().int(),
	/** JSON for all watchers. Null if each watcher has to read its own data, and for a hidden bounty. */
	data: z.string().nullable(),
});

export type TopicEntry = z.infer<typeof topicEntry>;

/** The first message on a socket. */
const topicHello = z.object({
	/** The number of the topic's state when the relay subscribed for this socket. The socket gets all later entries. */
	seq: z.number().int(),
});

export const topicMessage = z.union([z.object({ hello: topicHello }), z.object({ entries: z.array(topicEntry) })]);

export interface Subscription {
	readonly topic: string;
	readonly relay: string;
	/** The id of the subscription. A relay takes a new one when it has lost all its watchers. */
	readonly membership: string;
}
