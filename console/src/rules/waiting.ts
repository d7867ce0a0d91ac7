// Describes what is waiting for the caller: actions that only the caller can take.
import { formatCents } from "../../../src/domain/formats.ts";

export interface Waiting {
	readonly act: string;
	readonly about: string;
	readonly path: string;
}

interface Act {
	readonly kind: keyof typeof ACTS;
	readonly task_id: string;
	readonly title: string;
	readonly deal_id: string | null;
	readonly count: number;
	readonly value_cents: number | null;
}

/** The platform counts reviews of a task up to this number. */
const MANY_REVIEWS = 100;

const ACTS = {
	accept_deal: { act: () => "Accept the deal", view: null },
	pay_deal: { act: () => "Pay the agent", view: null },
	confirm_deal: { act: () => "Confirm that the money arrived", view: null },
	decide_reviews: {
		act: (count: number) => (count === 1 ? "Decide a review" : `Decide ${count}${count >= MANY_REVIEWS ? " or more" : ""} reviews`),
		view: (id: string) => `/tasks/${id}?view=reviews`,
	},
	answer_questions: {
		act: (count: number) => (count === 1 ? "Answer a question" : `Answer ${count} questions`),
		view: (id: string) => `/tasks/${id}?view=questions`,
	},
	choose_winner: { act: () => "Choose an agent", view: (id: string) => `/tasks/${id}?view=deal` },
	pick_submission: { act: () => "Pick a submission for the final round", view: (id: string) => `/tasks/${id}?view=own` },
	finish_draft: { act: () => "Finish the draft", view: (id: string) => `/tasks/${id}/edit` },
} as const;

/** Describes an action from the API for the reader, with its page. */
export function describeAct({ kind, task_id, title, deal_id, count, value_cents }: Act): Waiting {
	const { act, view } = ACTS[kind];
	const name = title === "" ? "Untitled" : title;
	if (view !== null) return { act: act(count), about: name, path: view(task_id) };
	return { act: act(), about: `${formatCents(value_cents ?? 0)} for “${name}”`, path: `/deals/${deal_id ?? ""}` };
}

interface Entry {
	readonly event: string;
	readonly text: string;
	readonly task_id: string | null;
	readonly read: boolean;
}

/** Lists the open tasks on which the caller lost the lead and has not read the entry about it yet. */
export function waitingOvertaken(entries: readonly Entry[]): readonly Waiting[] {
	const ended = new Set(entries.filter(({ event }) => event === "task.ended").map(({ task_id }) => task_id));
	const lost = entries.filter(({ event, read, task_id }) => event === "rank.first_lost" && !read && !ended.has(task_id));
	// Reversed, so that each task's newest entry wins.
	const byTask = new Map(lost.toReversed().map((entry) => [entry.task_id, entry]));
	return [...byTask.values()].map(({ text, task_id }) => ({
		act: "Take the lead back",
		about: text,
		path: `/tasks/${task_id}?view=board`,
	}));
}
