// The fields that extensions add to the core's requests and responses. The core imports them as "#fields", with exact types. A platform
// without extensions has none.ts instead.
import type { WalletRow } from "../db/schema/agents.ts";
import type { BoardRow, SubmissionRow } from "../db/task/schema/submissions.ts";
import type { EntryRow, TaskRow } from "../db/task/schema/task.ts";
import type { TaskStore } from "../ports/task.ts";
import { scoresOfDeal } from "./deal-scores.ts";
import { finalOnlyOfCriterion } from "./final-only.ts";
import { finalRoundOfBoard, finalRoundOfEntry, finalRoundOfRequest, finalRoundOfTask } from "./final-round.ts";
import { judgeCheckOfTask } from "./judge-check.ts";
import { passkeyWay } from "./passkeys.ts";
import { questionsOfTask } from "./questions.ts";
import type { ShownEntries } from "./rank-range.ts";
import { reviewsOfEntry, reviewsOfListed, reviewsOfScore, reviewsOfSubmission } from "./reviews.ts";
import { type DealRow, settlementOfDeal } from "./settlement.ts";
import { clockOfTask } from "./test-tasks.ts";

/** The reader of a task's detail, on whom some fields depend. */
interface TaskViewer {
	readonly isOwner: boolean;
	/** The reader's entry in the task. Null if the reader has none. */
	readonly entry: EntryRow | null;
}

interface TaskPart<Shape, Example, Draft, View> {
	readonly shape: Shape;
	readonly example: Example;
	/** Returns the fields of a new draft. */
	ofDraft(draft: TaskRow): Draft;
	read(store: TaskStore, task: TaskRow, viewer: TaskViewer): View;
}

/** Combines the fields that two extensions add to a task. */
function join<S1, E1, D1, V1, S2, E2, D2, V2>(one: TaskPart<S1, E1, D1, V1>, other: TaskPart<S2, E2, D2, V2>) {
	return {
		shape: { ...one.shape, ...other.shape },
		example: { ...one.example, ...other.example },
		ofDraft: (draft: TaskRow) => ({ ...one.ofDraft(draft), ...other.ofDraft(draft) }),
		read: (store: TaskStore, task: TaskRow, viewer: TaskViewer) => ({
			...one.read(store, task, viewer),
			...other.read(store, task, viewer),
		}),
	};
}

const joined = join(join(join(finalRoundOfTask, judgeCheckOfTask), questionsOfTask), clockOfTask);

/** Fields of a task's detail. */
export const taskFields = { ...joined, exampleOfDraft: { ...joined.example, ...judgeCheckOfTask.ofDraft() } };

/**
 * Fields of requests that write a draft: `created` for a new draft, `changed` for a change or a clone. `columnsOfNew` and `columnsOfChange`
 * check the fields and return the draft's columns. `ofClone` returns the fields of a clone, which it copies unless the request has them.
 */
export const taskRequestFields = finalRoundOfRequest;

/** Fields of a criterion. `columns` converts those of a request to columns of its row. `check` checks a whole rubric with its task. */
export const criterionFields = finalOnlyOfCriterion;

/** Fields of a task that everyone may read. */
export const publicTaskFields = {
	shape: { ...judgeCheckOfTask.shape, ...questionsOfTask.shape },
	example: { ...judgeCheckOfTask.ofDraft(), ...questionsOfTask.example },
	read: (task: TaskStore) => ({ ...judgeCheckOfTask.read(task, null, { isOwner: false }), ...questionsOfTask.read(task) }),
};

/** Fields of one submission for its agent and the task's owner. */
export const submissionFields = {
	shape: reviewsOfSubmission.shape,
	example: reviewsOfSubmission.example,
	read: (task: TaskStore, submission: SubmissionRow) => reviewsOfSubmission.read(task, submission),
};

/** Fields about the score of a submission, both in views of the submission and in the details of its score. */
export const scoreFields = {
	shape: reviewsOfScore.shape,
	example: reviewsOfScore.example,
	read: (task: TaskStore, submission: SubmissionRow) => reviewsOfScore.read(task, submission),
};

/**
 * Fields of a submission in its agent's lists. `columns` are selected together with rows of `submissions`, so that a page needs no other
 * query. `card` returns what the submission's card stores of them in its details, and `ofCard` reads them from there.
 */
export const listedSubmissionFields = reviewsOfListed;

/** Fields of a leaderboard as a whole. */
export const boardFields = finalRoundOfBoard;

/** Fields of leaderboard entries. `read` is called once for all shown entries, and returns a function that returns an entry's fields. */
export const boardEntryFields = {
	shape: { ...finalRoundOfEntry.shape, ...reviewsOfEntry.shape },
	example: (rank: number, board: { readonly isEnded: boolean }) => ({
		...finalRoundOfEntry.example(rank, board),
		...reviewsOfEntry.example,
	}),
	read(task: TaskStore, rows: ShownEntries) {
		const ofRound = finalRoundOfEntry.read(task, rows);
		const ofReviews = reviewsOfEntry.read(task, rows.own === null ? rows.page : [...rows.page, rows.own]);
		return (entry: BoardRow & { readonly rank: number }) => ({ ...ofRound(entry), ...ofReviews(entry) });
	},
};

/**
 * Fields of a deal, which are read from its row and the agent's wallet. `columnsOfNew` returns columns of a new deal's row.
 * `ofChangedWallet` returns statements for the commit that changes an agent's wallet.
 */
export const dealFields = {
	...settlementOfDeal,
	shape: { ...settlementOfDeal.shape, ...scoresOfDeal.shape },
	example: { ...settlementOfDeal.example, ...scoresOfDeal.example },
	read: (deal: DealRow, wallet: WalletRow) => ({ ...settlementOfDeal.read(deal, wallet), ...scoresOfDeal.read(deal) }),
};

/** The ways to sign in that extensions add to the configured providers. */
export const signInWays: readonly { readonly id: string; readonly name: string }[] = [passkeyWay];
