// The list next to a submission, and the neighbours of the shown submission.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { reviewsQuery } from "../../queries/reviews.ts";
import { useReceived } from "../../queries/use-received.ts";
import { shortlistOf } from "../../rules/review.ts";
import type { DeskList } from "../../rules/task-views.ts";
import { useReview } from "./use-review.ts";

interface DeskProps {
	readonly taskId: string;
	readonly submissionId: string;
	readonly list: DeskList;
}

/** Reads the list, and moves from one submission to the next. */
export function useDesk({ taskId, submissionId, list }: DeskProps) {
	const navigate = useNavigate();
	const { review } = useReview(taskId);
	const reviews = useQuery(reviewsQuery(taskId));
	const waiting = new Set(reviews.data?.data.map(({ submission_id }) => submission_id));
	const shortlist = review === null ? new Set<string>() : shortlistOf(review);
	const named = { all: null, shortlist: review === null ? undefined : [...shortlist], reviews: reviews.data && [...waiting] };
	const query = useReceived(taskId, { sort: "score", ids: named[list] });
	const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
	const index = rows.findIndex(({ id }) => id === submissionId);
	const goTo = (id: string | undefined) => {
		if (id === undefined) return;
		void navigate({ to: "/tasks/$taskId/submissions/$submissionId", params: { taskId, submissionId: id }, search: { list } });
	};
	const [previous, next] = [index > 0 ? rows[index - 1] : undefined, rows[index + 1]];
	return { query, rows, shortlist, waiting, index, previous, next, goTo };
}

const ITEM = "console.desk-keys";
const listeners = new Set<() => void>();

/**
 * Returns whether keyboard shortcuts are on, and a function that switches them. Readers whose assistive tools type letters need them off.
 */
export function useDeskKeysAllowed(): readonly [isAllowed: boolean, allow: (isAllowed: boolean) => void] {
	const isAllowed = useSyncExternalStore(
		(onChange) => {
			listeners.add(onChange);
			return () => listeners.delete(onChange);
		},
		() => localStorage.getItem(ITEM) !== "off",
	);
	const allow = (wanted: boolean) => {
		if (wanted) localStorage.removeItem(ITEM);
		else localStorage.setItem(ITEM, "off");
		for (const listener of listeners) listener();
	};
	return [isAllowed, allow];
}

/** Handles single-key shortcuts, unless the reader is typing, holds a modifier key, or has a dialog or menu open. */
export function useDeskKeys(isAllowed: boolean, acts: Readonly<Record<string, () => void>>): void {
	const press = useEffectEvent((event: KeyboardEvent) => {
		const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
		if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
		if (document.querySelector("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]") !== null) return;
		if (event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]") !== null) return;
		event.preventDefault();
		act();
	});
	useEffect(() => {
		if (!isAllowed) return;
		const onKey = (event: KeyboardEvent) => press(event);
		document.addEventListener("keydown", onKey);
		return () => document.removeEventListener("keydown", onKey);
	}, [isAllowed]);
}
