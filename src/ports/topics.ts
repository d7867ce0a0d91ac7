// What travels between a topic's objects and the Workers that watch it.
import * as z from "zod";
import { type Topic, topicName } from "../domain/topics.ts";

/** The last events of a topic that a client can resume after. */
export const REPLAY_LIMIT = 256;
/** There is one census for the whole deployment. */
export const CENSUS_NAME = "census";
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
	/** The number of a state, or the place of a bounty in the topic. */
	seq: z.number().int(),
	/** Names the content, for states that may come again with nothing new to see. */
	version: z.string().nullable(),
	/** What all watchers share, as JSON; null where each watcher reads for itself, or has the content of this version already. */
	data: z.string().nullable(),
});

export type TopicEntry = z.infer<typeof topicEntry>;

/** The first message on a socket. */
const topicHello = z.object({
	/** The topic's mark when it began to watch for this socket. */
	mark: z.string(),
});

export const topicMessage = z.union([z.object({ hello: topicHello }), z.object({ entries: z.array(topicEntry) })]);

/** A new socket of a relay. */
export interface Subscription {
	readonly topic: string;
	readonly relay: string;
	/** Names this relay since it last joined. */
	readonly membership: string;
	/** The number of the state that the watcher has read. */
	readonly from: number;
}
