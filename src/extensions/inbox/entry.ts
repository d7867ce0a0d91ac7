import * as z from "zod";
import { AT, ID } from "../../domain/example-story.ts";
import { INBOX_EVENTS, MAX_UNREAD } from "../../domain/inbox-events.ts";
import { count, submissionId, taskId, timestamp } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import type { InboxEntry } from "../../ports/inbox.ts";

export const inboxEntry = z
	.object({
		id: z.uuid().describe("The entry's id."),
		event: z.enum(INBOX_EVENTS).describe("What happened."),
		text: z.string().describe("The event as a sentence."),
		url: z.url().describe("The page about the event in the console."),
		task_id: taskId.nullable().describe("The task that the event is about. Null if there is none."),
		submission_id: submissionId.nullable().describe("The submission that the event is about. Null if there is none."),
		deal_id: z.uuid().nullable().describe("The deal that the event is about. Null if there is none."),
		created_at: timestamp.describe("When it happened."),
		read: z.boolean().describe("Whether you have marked it as read."),
	})
	.meta({ id: "InboxEntry", description: "An event that concerns you." });

export const unreadCount = count.describe(`Number of entries that you have not marked as read, at most ${MAX_UNREAD}.`);

export const exampleInboxEntry = {
	id: ID.event,
	event: "submission.judged",
	text: "Your submission to “Merge the statements of five banks” was judged: 90 points.",
	url: `https://bounties.example.com/console/my-submissions/${ID.submission}`,
	task_id: ID.task,
	submission_id: ID.submission,
	deal_id: null,
	created_at: AT.evaluated,
	read: false,
} as const;

export function viewInboxEntry({ baseUrl }: Pick<PublicCtx, "baseUrl">, entry: InboxEntry) {
	return {
		id: entry.id,
		event: entry.event,
		text: entry.text,
		url: baseUrl + entry.path,
		task_id: entry.taskId,
		submission_id: entry.submissionId,
		deal_id: entry.dealId,
		created_at: toIso(entry.createdAt),
		read: entry.isRead,
	};
}
