const TOPIC_KINDS = ["bounties", "task", "submission", "leaderboard"] as const;

export type TopicKind = (typeof TOPIC_KINDS)[number];

/** What the watchers of a stream follow. Contract: "Streams". */
export interface Topic {
	readonly kind: TopicKind;
	/** The id of the task or submission; empty for the bounties. */
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
