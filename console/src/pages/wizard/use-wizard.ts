// The state of the wizard: what is typed, kept in the browser, and saved to the draft on the platform step by step.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type Schemas } from "../../api/client.ts";
import { BountyApiError } from "../../api/sdk.ts";
import { type Draft, emptyCriterion, emptyDraft, hasFinalRound, toJudgingFields, toTaskFields } from "../../rules/draft.ts";
import { isBlank, isComplete, toCriteria } from "../../rules/rubric.ts";
import { taskKey } from "../task/queries.ts";
import { draftOfTask } from "./draft-of-task.ts";
import { readLocalDraft, writeLocalDraft } from "./local-draft.ts";

export type TaskDetail = Schemas["TaskDetail"];

export interface Wizard {
	/** Null until the first step is saved. */
	readonly task: TaskDetail | null;
	readonly draft: Draft;
	/** True if the browser has changes that the platform does not have. */
	readonly isDirty: boolean;
	/** True if changes of an earlier visit were found in this browser. */
	readonly isRestored: boolean;
	change(patch: Partial<Draft>): void;
	/** Drops the changes that the platform does not have. */
	discard(): void;
	/** Saves all that can be saved, and returns the task's id. @throws BountyApiError and keeps the text. */
	save(): Promise<string>;
	/** Scope of the mutations that save: one after the other, so that an older rubric never replaces a newer one. */
	readonly saving: { readonly id: string };
	/** The secret of an external task, which is shown once; null for others. */
	readonly callbackToken: string | null;
}

export interface StepProps {
	readonly wizard: Wizard;
	/** The reason why the last attempt to save failed. */
	readonly error: Error | null;
	/** True after an attempt to go on: the form then shows what is missing. */
	readonly showsFaults: boolean;
}

export const newKey = (): string => crypto.randomUUID();

function storedDraft(task: TaskDetail | null): Draft {
	return task === null ? emptyDraft(Date.now(), newKey()) : draftOfTask(task, [emptyCriterion(newKey())]);
}

export function useWizard(agentId: string, task: TaskDetail | null): Wizard {
	const queries = useQueryClient();
	const taskId = task?.id ?? null;
	const [saved, setSaved] = useState(() => storedDraft(task));
	const [local, setLocal] = useState(() => readLocalDraft(agentId, taskId));
	const [isRestored, setRestored] = useState(local !== null);
	const [callbackToken, setCallbackToken] = useState<string | null>(null);
	const draft = local ?? saved;
	const latest = useRef(local);
	const keep = (value: Draft | null) => {
		latest.current = value;
		setLocal(value);
		writeLocalDraft(agentId, taskId, value);
	};
	return {
		task,
		draft,
		isDirty: local !== null,
		isRestored,
		callbackToken,
		saving: { id: `draft ${taskId}` },
		change: (patch) => keep({ ...draft, ...patch }),
		discard() {
			keep(null);
			setRestored(false);
		},
		async save() {
			if (taskId !== null && local === null) return taskId;
			const result = await saveDraft(taskId, draft, saved);
			if (result.callbackToken !== null) setCallbackToken(result.callbackToken);
			setSaved(draft);
			setRestored(false);
			// Text that was typed while the platform saved, or a rubric that is not complete, stays in the browser under the task's own id.
			const unsaved = isComplete(draft.criteria) || isBlank(draft.criteria) ? null : draft;
			const rest = latest.current === local ? unsaved : latest.current;
			writeLocalDraft(agentId, taskId, null);
			writeLocalDraft(agentId, result.taskId, rest);
			latest.current = rest;
			setLocal(rest);
			await Promise.all([
				queries.invalidateQueries({ queryKey: taskKey(result.taskId) }),
				queries.invalidateQueries({ queryKey: ["own-tasks"] }),
				queries.invalidateQueries({ queryKey: ["stats"] }),
			]);
			return result.taskId;
		},
	};
}

interface Saved {
	readonly taskId: string;
	readonly callbackToken: string | null;
}

async function saveDraft(taskId: string | null, draft: Draft, before: Draft): Promise<Saved> {
	const fields = { ...toTaskFields(draft), ...toJudgingFields(draft) };
	if (taskId === null) {
		const criteria = isComplete(draft.criteria) ? { criteria: toCriteria(draft.criteria, hasFinalRound(draft)) } : {};
		const created = await api.createTask({ ...fields, ...criteria });
		return { taskId: created.id, callbackToken: created.eval_callback_token ?? null };
	}
	const replaceRubric = async () => {
		const isChanged = draft.criteria !== before.criteria || hasFinalRound(draft) !== hasFinalRound(before);
		if (isComplete(draft.criteria) && isChanged)
			await api.replaceRubric(taskId, { criteria: toCriteria(draft.criteria, hasFinalRound(draft)) });
	};
	// Criteria for the final round only need one, so they go before it and come after it.
	if (!hasFinalRound(draft)) await replaceRubric();
	const updated = await api.updateTask(taskId, fields);
	if (hasFinalRound(draft)) await replaceRubric();
	return { taskId, callbackToken: updated.eval_callback_token ?? null };
}

/** The fault that the platform found in a field, to show next to it. */
export function faultOf(error: Error | null, path: string): string | null {
	return error instanceof BountyApiError ? (error.faults.find((fault) => fault.path === path)?.message ?? null) : null;
}
