// What watchers of streams follow, and what travels between the objects that change and the Workers that hold the streams.
import * as z from "zod";

const TOPIC_KINDS = ["bounties", "task", "submission", "leaderboard"] as const;

type TopicKind = (typeof TOPIC_KINDS)[number];

/** What the watchers of a stream follow. Contract: "Streams". */
export interface Topic {
	readonly kind: TopicKind;
	/** The id of the task, or `<task>/<submission>`; empty for the bounties. */
	readonly id: string;
}

export function topicName({ kind, id }: Topic): string {
	return id === "" ? kind : `${kind}:${id}`;
}

/** The topic under a name that {@link topicName} made. */
export function parseTopicName(name: string): Topic {
	const [prefix, id = ""] = name.split(":");
	const kind = TOPIC_KINDS.find((known) => known === prefix);
	if (kind === undefined) throw new Error(`No topic is called ${name}`);
	return { kind, id };
}

/** The last bounties that a client can resume after. */
export const REPLAY_LIMIT = 256;
/** Sockets of one relay; the next watcher goes to another one. */
export const RELAY_CAPACITY = 1_500;

/**
 * The relay that a watcher tries: the first one, then one of ever more, so that a crowd spreads
 * over as many as it needs after a few attempts.
 *
 * @param attempt 0 for the first.
 * @param random From 0 to 1.
 */
export function relayName({ topic, region, attempt, random }: { topic: Topic; region: string; attempt: number; random: number }): string {
	const first = 2 ** attempt - 1;
	return `${topicName(topic)}|${region}|${first + Math.floor(random * 2 ** attempt)}`;
}

/** One step of a topic, as it is sent to every watcher. */
export const topicEntry = z.object({
	/** The number of a state, or the place of a bounty in the log. */
	seq: z.number().int(),
	/** What all watchers share, as JSON; null where each watcher reads for itself, and for a bounty that is hidden. */
	data: z.string().nullable(),
});

export type TopicEntry = z.infer<typeof topicEntry>;

/** The first message on a socket. */
const topicHello = z.object({
	/** The number of the topic's state when it began to watch for this socket. */
	seq: z.number().int(),
});

export const topicMessage = z.union([z.object({ hello: topicHello }), z.object({ entries: z.array(topicEntry) })]);

/** A new socket of a relay. */
export interface Subscription {
	readonly topic: string;
	readonly relay: string;
	/** Names this relay since it last joined. */
	readonly membership: string;
}
