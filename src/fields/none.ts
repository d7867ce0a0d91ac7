// A platform without extensions has these fields. all.ts says what each is.
import type { SubmissionRow } from "../db/task/schema/submissions.ts";
import type { TaskStore } from "../ports/task.ts";

export const taskFields = { shape: {}, example: {}, ofDraft: {}, read: (_task: TaskStore, _viewer: { readonly isOwner: boolean }) => ({}) };

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
