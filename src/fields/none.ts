// A platform without extensions has these fields. all.ts says what each is.
import type { TaskStore } from "../ports/task.ts";

export const taskFields = { shape: {}, example: {}, ofDraft: {}, read: (_task: TaskStore, _viewer: { readonly isOwner: boolean }) => ({}) };

export const publicTaskFields = { shape: {}, example: {}, read: (_task: TaskStore) => ({}) };
