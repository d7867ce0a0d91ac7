// What travels between a topic's objects and the Workers that watch it.
import * as z from "zod";
import { type Topic, topicName } from "../domain/topics.ts";

/** The last events of a topic that a client can resume after. */
export const REPLAY_LIMIT = 256;
/** Events of which a topic remembers that it has told them: more than come between an event and its repetition. */
export const REMEMBERED_EVENTS = 10_000;
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
export const topicHello = z.object({
	head: z.number().int(),
	/** When something last happened to the topic, in milliseconds since the epoch; 0 for never. */
	changedAt: z.number().int(),
	/** Everything after the entry that was asked for, or null when that is not known any more. */
	missed: z.array(topicEntry).nullable(),
});

export type TopicHello = z.infer<typeof topicHello>;

export const topicMessage = z.union([z.object({ hello: topicHello }), z.object({ entries: z.array(topicEntry) })]);

/** Something that happened, told to a topic. The same event may be told any number of times. */
export interface Publication {
	readonly topic: Topic;
	readonly eventId: string;
	/** For topics that replay: what their watchers get, as JSON. */
	readonly data: string | null;
}

/** A new socket of a relay. */
export interface Subscription {
	readonly topic: string;
	readonly relay: string;
	/** The last entry that the watcher has; null for none. */
	readonly after: number | null;
}
