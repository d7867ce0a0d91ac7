// Watchers of streams follow topics. Entries travel from the objects that change to the Workers that hold the streams.
import * as z from "zod";

const TOPIC_KINDS = ["bounties", "task", "submission", "leaderboard", "inbox"] as const;

/** The watchers of a stream follow a topic. */
export interface Topic {
	readonly kind: (typeof TOPIC_KINDS)[number];
	/** The id is a task's, `<task>/<submission>`, or the agent's of an inbox. Empty for the bounties. */
	readonly id: string;
}

export function topicName({ kind, id }: Topic): string {
	return id === "" ? kind : `${kind}:${id}`;
}

/** Reads a name that {@link topicName} made. */
export function parseTopicName(name: string): Topic {
	const [prefix, id = ""] = name.split(":");
	const kind = TOPIC_KINDS.find((one) => one === prefix);
	if (kind === undefined) throw new Error(`No topic is called ${name}`);
	return { kind, id };
}

/** A client can resume after one of this many last bounties. */
export const REPLAY_LIMIT = 256;
/** A relay has this many sockets. The next watcher goes to another relay. */
export const RELAY_CAPACITY = 1_500;

/**
 * Names the relay that a watcher tries: the first one, then one of ever more, so that a crowd spreads over as many as it needs after a
 * few attempts.
 *
 * @param attempt 0 for the first.
 * @param random From 0 to 1.
 */
export function relayName({ topic, region, attempt, random }: { topic: Topic; region: string; attempt: number; random: number }): string {
	const first = 2 ** attempt - 1;
	return `${topicName(topic)}|${region}|${first + Math.floor(random * 2 ** attempt)}`;
}

/** Every watcher gets each step of a topic as such an entry. */
export const topicEntry = z.object({
	/** The number is a state's revision, or the place of a bounty in the log or of an entry in an inbox. */
	seq: z.number().int(),
	/** All watchers share this JSON. Null if each watcher reads for itself, and for a hidden bounty. */
	data: z.string().nullable(),
});

export type TopicEntry = z.infer<typeof topicEntry>;

/** The first message on a socket has this form. */
const topicHello = z.object({
	/** The topic's state had this number when the relay began to watch for this socket. */
	seq: z.number().int(),
});

export const topicMessage = z.union([z.object({ hello: topicHello }), z.object({ entries: z.array(topicEntry) })]);

/** A relay subscribes to a topic with this. */
export interface Subscription {
	readonly topic: string;
	readonly relay: string;
	/** The membership names this relay since it last joined. */
	readonly membership: string;
}
