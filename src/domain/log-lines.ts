// The public log of a task in words, for its page and for the console. Each line says who did something. If something is only what a party
// says, such as that it has paid, the line says so.
import type { DealParty, DealStatus } from "./deal-status.ts";
import { formatCents, formatInstant, formatScore } from "./formats.ts";

interface Change {
	readonly agent: string;
	readonly from: number;
	readonly to: number;
	readonly reason: string;
}

interface File {
	readonly filename: string;
}

interface Facts {
	readonly published: object;
	readonly deadline_moved: { readonly from: string; readonly to: string };
	readonly attachment_added: File;
	readonly attachment_removed: File;
	readonly answer_replaced: object;
	readonly question_deleted: { readonly is_note: boolean; readonly answer_sha256: string | null };
	readonly questions_closed: object;
	readonly closed: { readonly by: "owner" | "deadline" };
	readonly round_ended: { readonly candidates: number; readonly failed: number; readonly reason: string | null };
	readonly reviewed: Change & { readonly criteria: readonly string[] };
	readonly re_evaluated: Omit<Change, "from"> & { readonly from: number | null };
	readonly voided: Pick<Change, "agent" | "reason">;
	readonly deal: { readonly status: DealStatus; readonly by: DealParty; readonly agent: string; readonly value_cents: number };
	readonly erased: Pick<Change, "agent">;
}

type Entries = { [Event in keyof Facts]: { readonly at: string; readonly event: Event; readonly facts: Facts[Event] } };
type AttachmentEntry = Entries["attachment_added" | "attachment_removed"];

/** A log entry, as the API shows it. */
export type LogEntry = Entries[keyof Facts];

/** A part of a sentence: either words of the platform, or a name that someone chose. */
export type Part = string | { readonly name: string };

export interface LogLine {
	/** The time in ISO 8601. */
	readonly at: string;
	readonly parts: readonly Part[];
	/** The reason that the poster, an operator or the platform gave. Null if there is none. */
	readonly reason: string | null;
}

/** Formats each entry as a line. Successive changes of attachments share one line, which has the time of the newest change. */
export function linesOf(newestFirst: readonly LogEntry[]): LogLine[] {
	const lines: LogLine[] = [];
	let run: AttachmentEntry[] = [];
	const endRun = () => {
		const [newest] = run;
		if (newest !== undefined) lines.push({ at: newest.at, parts: describeAttachments(run.toReversed()), reason: null });
		run = [];
	};
	for (const entry of newestFirst) {
		if (entry.event === "attachment_added" || entry.event === "attachment_removed") {
			run.push(entry);
			continue;
		}
		endRun();
		lines.push({ at: entry.at, ...describe(entry) });
	}
	endRun();
	return lines;
}

const MAX_NAMED_FILES = 5;

function describeAttachments(oldestFirst: readonly AttachmentEntry[]): Part[] {
	const namesOf = (event: AttachmentEntry["event"]) =>
		oldestFirst.filter((entry) => entry.event === event).map(({ facts }) => facts.filename);
	const [added, removed] = [namesOf("attachment_added"), namesOf("attachment_removed")];
	return [
		"The poster ",
		...(added.length === 0 ? [] : ["attached ", ...listFiles(added)]),
		...(added.length === 0 || removed.length === 0 ? [] : [" and "]),
		...(removed.length === 0 ? [] : ["deleted ", ...listFiles(removed)]),
		". The judge reads only what was attached when the task was published.",
	];
}

function listFiles(names: readonly string[]): Part[] {
	const rest = names.length - MAX_NAMED_FILES;
	const named = names.slice(0, MAX_NAMED_FILES).flatMap((name, place): Part[] => [...(place === 0 ? [] : [", "]), { name }]);
	return rest > 0 ? [...named, ` and ${rest} more`] : named;
}

type Description = Omit<LogLine, "at">;

const said = (...parts: readonly Part[]): Description => ({ parts, reason: null });

function describe(entry: Exclude<LogEntry, AttachmentEntry>): Description {
	switch (entry.event) {
		case "published":
			return said("The poster published the task. What the judge reads cannot change after that.");
		case "deadline_moved":
			return said(`The poster moved the deadline from ${formatInstant(entry.facts.from)} to ${formatInstant(entry.facts.to)}.`);
		case "answer_replaced":
			return said("The poster replaced an answer to a question. The log has the digest of the earlier answer.");
		case "question_deleted":
			return describeDeletedQuestion(entry.facts);
		case "questions_closed":
			return said("The poster stopped accepting questions.");
		case "closed":
			return said(
				entry.facts.by === "owner" ? "The poster closed the task." : "The platform closed the task, because the deadline had passed.",
			);
		case "round_ended":
			return describeRound(entry.facts);
		case "reviewed":
			return describeReview(entry.facts);
		case "re_evaluated":
			return describeReEvaluation(entry.facts);
		case "voided": {
			const { agent, reason } = entry.facts;
			return { parts: ["An operator of the platform took a submission of ", { name: agent }, " out of the competition."], reason };
		}
		case "deal":
			return said(...describeDeal(entry.facts));
		case "erased":
			return said("The platform erased the data of an agent, which is now called ", { name: entry.facts.agent }, ".");
	}
}

function describeDeletedQuestion({ is_note, answer_sha256 }: Facts["question_deleted"]): Description {
	if (is_note) return said("The poster deleted a note. The log has its digest.");
	return said(
		answer_sha256 === null
			? "The poster deleted a question that had no answer. The log has its digest."
			: "The poster deleted a question with its answer. The log has the digests of both.",
	);
}

function describeRound({ candidates, failed, reason }: Facts["round_ended"]): Description {
	if (reason !== null) return { parts: ["The final round did not take place."], reason };
	const works = candidates === 1 ? "the submission of 1 candidate" : `the submissions of ${candidates} candidates`;
	const lost = failed === 0 ? "" : ` It could not judge ${failed} of them.`;
	return said(`The platform ended the final round, in which the judge judged ${works} again.${lost}`);
}

function describeReview({ agent, from, to, criteria, reason }: Facts["reviewed"]): Description {
	const names = criteria.flatMap((name, place): Part[] => [...(place === 0 ? [] : [", "]), { name }]);
	const scores = ` from ${formatScore(from)} to ${formatScore(to)} in a review of `;
	return { parts: ["The poster changed the score of ", { name: agent }, scores, ...names, "."], reason };
}

function describeReEvaluation({ agent, from, to, reason }: Facts["re_evaluated"]): Description {
	const change = from === null ? `The score is ${formatScore(to)}.` : `The score was ${formatScore(from)} and is now ${formatScore(to)}.`;
	return { parts: ["An operator of the platform had a submission of ", { name: agent }, ` judged again. ${change}`], reason };
}

function describeDeal({ status, by, agent: name, value_cents }: Facts["deal"]): Part[] {
	const agent = { name };
	const deal = `the deal of ${formatCents(value_cents)}`;
	switch (status) {
		case "recorded":
			return ["The poster recorded a deal with ", agent, ` of ${formatCents(value_cents)}.`];
		case "accepted":
			return [agent, ` accepted ${deal}.`];
		case "declined":
			return [agent, ` declined ${deal}.`];
		case "paid":
			return ["The poster says that it has paid ", agent, ` for ${deal}.`];
		case "received":
			return [agent, ` says that the payment for ${deal} has arrived.`];
		case "disputed":
			return by === "agent" ? [agent, ` disputed ${deal}.`] : [`The poster disputed ${deal} with `, agent, "."];
	}
}
