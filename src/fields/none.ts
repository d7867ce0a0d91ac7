// The fields of a platform without extensions: none. all.ts describes each of these constants.
import type { SubmissionRow } from "../db/task/schema/submissions.ts";
import type { EvalMode } from "../domain/modes.ts";
import type { Statement } from "../ports/database.ts";
import type { TaskStore } from "../ports/task.ts";

export const taskFields = {
	shape: {},
	example: {},
	exampleOfDraft: {},
	ofDraft: (_draft: object) => ({}),
	read: (_store: TaskStore, _task: object, _viewer: object) => ({}),
};

export const taskRequestFields = {
	created: {},
	changed: {},
	columnsOfNew: (_input: object, _facts: object) => ({}),
	columnsOfChange: (_draft: object, _input: object, _evalMode: EvalMode) => ({}),
	ofClone: (_source: object, _input: object, _evalMode: EvalMode) => ({}),
};

export const criterionFields = {
	input: {},
	columns: (_input: object) => ({}),
	check(_criteria: readonly object[], _task: object) {},
	shape: {},
	example: {},
	read: (_criterion: object) => ({}),
};

export const publicTaskFields = { shape: {}, example: {}, read: (_task: TaskStore) => ({}) };

export const submissionFields = { shape: {}, example: {}, read: (_task: TaskStore, _submission: SubmissionRow) => ({}) };

export const scoreFields = { shape: {}, example: {}, read: (_task: TaskStore, _submission: SubmissionRow) => ({}) };

export const listedSubmissionFields = {
	shape: {},
	example: {},
	columns: {},
	ofCard: (_details: object | null) => ({}),
	card: (_columns: object) => ({}),
	view: (_columns: object) => ({}),
};

export const boardFields = { shape: {}, example: (_board: object) => ({}), read: (_task: object) => ({}) };

export const boardEntryFields = {
	shape: {},
	example: (_rank: number, _board: object) => ({}),
	read: (_task: TaskStore, _shown: object) => (_entry: object) => ({}),
};

export const dealFields = {
	shape: {},
	example: {},
	columnsOfNew: (_deal: object) => ({}),
	ofChangedWallet: (_deps: object, _agentId: string, _wallet: object): Statement[] => [],
	read: (_deal: object, _wallet: object) => ({}),
};

export const signInWays: readonly { readonly id: string; readonly name: string }[] = [];
