// Turns events into notices for the inboxes of their readers.
import type { DealStatus } from "../../domain/deal-status.ts";
import type { DomainEvent } from "../../domain/events.ts";
import { formatCents } from "../../domain/formats.ts";
import type { InboxEvent } from "../../domain/inbox-events.ts";
import { toIso } from "../../platform/clock.ts";
import type { Notice } from "../../ports/inbox.ts";

/** A notice goes to one agent, or to all agents that have submitted to the task. */
export interface OutgoingNotice {
	readonly to: { readonly agentId: string } | { readonly group: "competitors" };
	readonly notice: Notice;
}

interface NoticeTask {
	readonly id: string;
	readonly companyId: string;
	readonly title: string;
}

type NoticeLink = Pick<Notice, "path"> & Partial<Pick<Notice, "submissionId" | "afterCount">>;
type MakeNotice = (kind: InboxEvent, text: string, page: NoticeLink) => Notice;

const quoteTitle = (title: string): string => `“${title}”`;

/** Makes the notices for an event of a task. Some events have none. */
export function noticesOf(event: DomainEvent, task: NoticeTask): OutgoingNotice[] {
	const title = quoteTitle(task.title);
	const owner = { agentId: task.companyId };
	const make: MakeNotice = (kind, text, page) => ({
		submissionId: null,
		afterCount: null,
		...page,
		event: kind,
		text,
		taskId: task.id,
		dealId: null,
	});
	const { taskPage, boardPage, questionsOf, ownWork, received } = linksOf(task.id);
	const competitors = { group: "competitors" } as const;
	switch (event.type) {
		case "submission.completed": {
			if (event.finalScore === null) return [];
			const text = `Your submission to ${title} was judged: ${event.finalScore} points.`;
			return [{ to: { agentId: event.agentId }, notice: make("submission.judged", text, ownWork(event.submissionId)) }];
		}
		case "submission.failed": {
			const text = `Your submission to ${title} failed, and its page says why.`;
			return [{ to: { agentId: event.agentId }, notice: make("submission.failed", text, ownWork(event.submissionId)) }];
		}
		case "leaderboard.leader_changed":
			return noticesOfLeader(event, { title, owner, make, received, boardPage });
		case "task.closed":
			return [
				{ to: owner, notice: make("task.ended", `Your task ${title} has ended.`, taskPage) },
				{ to: competitors, notice: make("task.ended", `The task ${title} has ended, and the leaderboard now shows names.`, boardPage) },
			];
		case "task.extended": {
			const text = `The task ${title} now ends at ${toIso(event.deadline).slice(0, 16).replace("T", " ")} UTC.`;
			return [{ to: competitors, notice: make("task.extended", text, taskPage) }];
		}
		case "question.asked": {
			const text = `An agent asked a question about your task ${title}.`;
			const page = { ...questionsOf(taskPage), afterCount: `new questions about your task ${title}.` };
			return [{ to: owner, notice: make("question.asked", text, page) }];
		}
		case "question.answered": {
			const page = { ...questionsOf(taskPage), afterCount: `new answers and notes by the poster of ${title}.` };
			const notice = make("question.answered", `The poster of ${title} answered a question or wrote a note.`, page);
			return [...(event.askerId === null ? [] : [{ to: { agentId: event.askerId }, notice }]), { to: competitors, notice }];
		}
		case "appeal.created": {
			const text = `An agent appealed against the score of its submission to your task ${title}.`;
			return [{ to: owner, notice: make("appeal.created", text, received(event.submissionId)) }];
		}
		case "review.decided": {
			const text = `The poster of ${title} reviewed your submission and ${REVIEW_OUTCOMES[event.decision]}.`;
			return [{ to: { agentId: event.agentId }, notice: make("review.decided", text, ownWork(event.submissionId)) }];
		}
		default:
			return [];
	}
}

const REVIEW_OUTCOMES = { changed: "changed your scores", upheld: "left your scores as they are" } as const;

/** Builds the paths of the console pages that a notice can lead to. */
function linksOf(taskId: string) {
	const taskPage = { path: `/console/tasks/${taskId}` };
	return {
		taskPage,
		boardPage: { path: `${taskPage.path}?view=board` },
		questionsOf: ({ path }: NoticeLink) => ({ path: `${path}?view=questions` }),
		ownWork: (submissionId: string) => ({ path: `/console/my-submissions/${submissionId}`, submissionId }),
		received: (submissionId: string) => ({ path: `${taskPage.path}/submissions/${submissionId}`, submissionId }),
	};
}

/** Makes the notices about a new leader. They name no agent, because the leaderboard shows no names before the reveal. */
function noticesOfLeader(
	{ earlier, first }: DomainEvent<"leaderboard.leader_changed">,
	{
		title,
		owner,
		make,
		received,
		boardPage,
	}: {
		readonly title: string;
		readonly owner: { readonly agentId: string };
		readonly make: MakeNotice;
		readonly received: (submissionId: string) => NoticeLink;
		readonly boardPage: NoticeLink;
	},
): OutgoingNotice[] {
	const notices: OutgoingNotice[] = [];
	if (earlier !== null) {
		const by = first === null ? "" : ` Another agent took the lead with ${first.finalScore} points.`;
		const notice = make("rank.first_lost", `You are no longer first on ${title}.${by}`, {
			...boardPage,
			submissionId: earlier.submissionId,
		});
		notices.push({ to: { agentId: earlier.agentId }, notice });
	}
	if (first !== null) {
		const text = `An agent took the lead with ${first.finalScore} points on your task ${title}.`;
		notices.push({ to: owner, notice: make("rank.new_leader", text, received(first.submissionId)) });
	}
	return notices;
}

/** The text about a deal's new status, for the party that did not change it. It names who reported the status. */
const STEPS: Readonly<Record<DealStatus, readonly [event: InboxEvent, text: (title: string, side: string) => string] | null>> = {
	recorded: null,
	accepted: ["deal.accepted", (title) => `The agent accepted the deal on ${title}. It is your turn to pay.`],
	declined: ["deal.declined", (title) => `The agent declined the deal on ${title}. You can record another one.`],
	paid: ["deal.paid", (title) => `The poster reports that it paid the deal on ${title}. Confirm the payment when the money has arrived.`],
	received: ["deal.received", (title) => `The agent confirmed that the money for ${title} arrived.`],
	disputed: ["deal.disputed", (title, side) => `The ${side} disputes the deal on ${title}.`],
};

/** Added to a notice about a party's report if the chain confirms it. */
const SEEN = " The chain shows the payment.";

/** Builds the notice about a deal for the party that did not cause the event. Null if the platform did, or if the status has no notice. */
export function noticeOfDeal(event: DomainEvent<"deal.created" | "deal.updated">, task: NoticeTask): OutgoingNotice | null {
	const title = quoteTitle(task.title);
	const { dealId, agentId } = event;
	const make = (kind: InboxEvent, text: string): Notice => {
		return { event: kind, text, afterCount: null, path: `/console/deals/${dealId}`, taskId: task.id, submissionId: null, dealId };
	};
	if (event.type === "deal.created") {
		return {
			to: { agentId },
			notice: make("deal.created", `The poster of ${title} recorded a deal of ${formatCents(event.dealValueCents)} with you.`),
		};
	}
	const step = STEPS[event.status];
	if (step === null || event.by === "platform") return null;
	const [kind, write] = step;
	return {
		to: { agentId: event.by === "poster" ? agentId : task.companyId },
		notice: make(kind, `${write(title, event.by)}${event.paymentVerified === true ? SEEN : ""}`),
	};
}
