// Keeps the shortlist and notes in the workspace, so that all of the poster's browsers and programs have them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, core, hasStatus, readPage } from "../../api/client.ts";
import { BountyApiError } from "../../api/sdk.ts";
import { taskKey } from "../../queries/task.ts";
import { applyChange, type Change, EMPTY_REVIEW, parseReview, type Review, reviewKey } from "../../rules/review.ts";

interface StoredReview {
	readonly review: Review;
	/** The version of the stored entry. Null while there is no entry. */
	readonly etag: string | null;
}

const MAX_ATTEMPTS = 4;

/** Reads the entry. Reads the list first, because requesting a missing entry would log an error in the browser's console. */
async function readReview(taskId: string): Promise<StoredReview> {
	const key = reviewKey(taskId);
	const { data: entries } = await readPage(api.listWorkspaceEntries({ prefix: key, limit: 1 }));
	if (!entries.some((entry) => entry.key === key)) return { review: EMPTY_REVIEW, etag: null };
	const { data, headers } = await core.request("getWorkspaceEntry", { path: { key } });
	const review = parseReview(data?.value);
	if (review === null)
		throw new Error(`Your workspace has an entry ${key} that does not come from the console. To use the shortlist, delete that entry.`);
	return { review, etag: headers.get("ETag") };
}

/**
 * Applies a change to the entry and writes it. If someone else has changed the entry since it was read, reads it again and applies the
 * change to that.
 */
async function writeChange(taskId: string, known: StoredReview, change: Change): Promise<StoredReview> {
	let stored = known;
	for (let attempt = 1; ; attempt += 1) {
		const review = applyChange(stored.review, change);
		const headers = stored.etag === null ? { "If-None-Match": "*" } : { "If-Match": stored.etag };
		try {
			const written = await core.request("putWorkspaceEntry", { path: { key: reviewKey(taskId) }, body: { value: review }, headers });
			return { review, etag: written.headers.get("ETag") };
		} catch (error) {
			if (!hasStatus(error, 412) || attempt === MAX_ATTEMPTS) throw error;
		}
		stored = await readReview(taskId);
	}
}

export function useReview(taskId: string) {
	const queries = useQueryClient();
	const queryKey = [...taskKey(taskId), "review"];
	const { data, error } = useQuery({ queryKey, queryFn: () => readReview(taskId) });
	const change = useMutation({
		// Another change may have been written while this one waited, so it starts from the newest stored value.
		mutationFn: async (wanted: Change) =>
			writeChange(taskId, queries.getQueryData<StoredReview>(queryKey) ?? (await readReview(taskId)), wanted),
		// Changes run one after the other, so that a quick second change does not conflict with the first.
		scope: { id: reviewKey(taskId) },
		onSuccess: (stored) => queries.setQueryData(queryKey, stored),
		// The change may have failed because the stored value is newer than the shown one.
		onError: (cause) => (cause instanceof BountyApiError ? undefined : queries.invalidateQueries({ queryKey })),
	});
	return { review: data?.review ?? null, error, change };
}
