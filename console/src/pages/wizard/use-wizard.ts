// Manages the wizard's state. The browser stores what is typed, and each step saves it to the draft on the platform.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, core, hasStatus, type Schemas } from "../../api/client.ts";
import { BountyApiError } from "../../api/sdk.ts";
import { showMessage } from "../../components/Messages.tsx";
import { readLocalDraft, writeLocalDraft } from "../../platform/local-draft.ts";
import { readDraft, taskKey } from "../../queries/task.ts";
import { type Draft, emptyCriterion, emptyDraft, hasFinalRound, toJudgingFields, toTaskFields } from "../../rules/draft.ts";
import { isBlank, isComplete, toCriteria } from "../../rules/rubric.ts";
import { isSameDraft, laterVersion } from "../../rules/same-draft.ts";
import { draftOfTask } from "./draft-of-task.ts";
import { readStaleChecks, writeStaleChecks } from "./stale-checks.ts";

export type TaskDetail = Schemas["TaskDetail"];

export interface Wizard {
	/** Null until the first step is saved. */
	readonly task: TaskDetail | null;
	readonly draft: Draft;
	/** True if no one has signed in, so the browser keeps the draft and nothing is saved. */
	readonly isVisitor: boolean;
	/** True if the browser has changes that the platform does not have. */
	readonly isDirty: boolean;
	/** True if unsaved changes from an earlier visit were found in this browser. */
	readonly isRestored: boolean;
	change(patch: Partial<Draft>): void;
	discard(): void;
	/**
	 * Saves everything that can be saved, and returns the task's id. If saving fails, the text stays in the browser.
	 *
	 * @throws BountyApiError or DraftConflictError.
	 */
	save(): Promise<string>;
	/** Resolves a conflict. With `keepsMine`, the next save overwrites the other changes. Without it, they replace the text here. */
	resolve(keepsMine: boolean): void;
	/** Mutations in this scope run one after another, so that an older rubric never replaces a newer one. */
	readonly saving: { readonly id: string };
	/** The secret of an external task, which is shown once. Null for other tasks. */
	readonly callbackToken: string | null;
}

export interface StepProps {
	readonly wizard: Wizard;
	/** Why the last attempt to save failed. */
	readonly error: Error | null;
	/** True after an attempt to continue. The form then shows what is missing. */
	readonly showsFaults: boolean;
}

export const newKey = (): string => crypto.randomUUID();

function storedDraft(task: TaskDetail | null): Draft {
	if (task === null) return emptyDraft(Date.now(), newKey());
	return draftOfTask(task, { emptyCriteria: [emptyCriterion(newKey())], staleChecks: readStaleChecks(task.id) });
}

/** Another tab or program changed the same fields of the draft. */
export class DraftConflictError extends Error {
	override readonly name = "DraftConflictError";
	readonly fields: readonly string[];

	constructor(fields: readonly string[]) {
		super("The draft was changed elsewhere.");
		this.fields = fields;
	}
}

export interface WizardFacts {
	/** The signed-in agent. Null for visitors, who can write a task but not save it. */
	readonly agentId: string | null;
	/** The key of a new task in the browser's storage: the agent's id, or a fixed one for visitors. */
	readonly newOwner: string;
	/** Null until the task is saved. */
	readonly task: TaskDetail | null;
	/** The draft's version. Null until the first step is saved. */
	readonly etag: string | null;
}

export function useWizard({ agentId, newOwner, task, etag }: WizardFacts): Wizard {
	const queries = useQueryClient();
	const taskId = task?.id ?? null;
	const owner = taskId === null || agentId === null ? newOwner : agentId;
	const [base, setBase] = useState<Base>(() => ({ draft: storedDraft(task), etag }));
	const saved = base.draft;
	const [theirs, setTheirs] = useState<Base | null>(null);
	const [local, setLocal] = useState(() => readLocalDraft(owner, taskId));
	const [isRestored, setRestored] = useState(local !== null);
	const [callbackToken, setCallbackToken] = useState<string | null>(null);
	const draft = local ?? saved;
	const latest = useRef(local);
	const keep = (value: Draft | null) => {
		latest.current = value;
		setLocal(value);
		writeLocalDraft(owner, taskId, value);
	};
	const discard = () => {
		keep(null);
		setRestored(false);
	};
	return {
		task,
		draft,
		isVisitor: agentId === null,
		resolve(keepsMine) {
			if (theirs === null) return;
			setBase(theirs);
			setTheirs(null);
			if (!keepsMine) discard();
		},
		isDirty: local !== null,
		isRestored,
		callbackToken,
		saving: { id: `draft ${taskId}` },
		change: (patch) => keep({ ...draft, ...patch }),
		discard,
		async save() {
			if (taskId !== null && local === null) return taskId;
			const known = { base: renewBase(base, task, etag), onConflict: setTheirs, onStored: setBase };
			const { result, sent } = await saveMerged(taskId, draft, known);
			if (result.callbackToken !== null) setCallbackToken(result.callbackToken);
			setBase({ draft: sent, etag: result.etag });
			setRestored(false);
			// Text that was typed during the save stays in the browser under the task's id, and so does an incomplete rubric.
			const unsaved = isComplete(sent.criteria) || isBlank(sent.criteria) ? null : sent;
			const rest = latest.current === local ? unsaved : latest.current;
			writeLocalDraft(owner, taskId, null);
			writeLocalDraft(agentId ?? owner, result.taskId, rest);
			writeStaleChecks(result.taskId, sent.criteria);
			latest.current = rest;
			setLocal(rest);
			const stale = [taskKey(result.taskId), ["own-tasks"], ["stats"]];
			await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })));
			return result.taskId;
		},
	};
}

interface SavedDraft {
	readonly taskId: string;
	readonly callbackToken: string | null;
	readonly etag: string | null;
}

interface Base {
	readonly draft: Draft;
	readonly etag: string | null;
}

type OnStored = (stored: Base) => void;

/**
 * Creates a draft, or saves one unless it has changed since `before`. A save may take two requests, and the second can fail after the first
 * has succeeded. `onStored` gets the draft after each request.
 *
 * @throws BountyApiError 412 if the draft has changed.
 */
async function saveDraft(
	taskId: string | null,
	draft: Draft,
	{ before, onStored }: { readonly before: Base; readonly onStored: OnStored },
): Promise<SavedDraft> {
	const fields = { ...toTaskFields(draft), ...toJudgingFields(draft) };
	if (taskId === null) {
		const criteria = isComplete(draft.criteria) ? { criteria: toCriteria(draft.criteria, hasFinalRound(draft)) } : {};
		const created = await api.createTask({ ...fields, ...criteria });
		return { taskId: created.id, callbackToken: created.eval_callback_token ?? null, etag: null };
	}
	let stored = before;
	const note = (part: Partial<Draft>, headers: Headers) => {
		stored = { draft: { ...stored.draft, ...part }, etag: headers.get("ETag") };
		onStored(stored);
	};
	const conditions = () => (stored.etag === null ? {} : { "If-Match": stored.etag });
	const replaceRubric = async () => {
		const isChanged = draft.criteria !== before.draft.criteria || hasFinalRound(draft) !== hasFinalRound(before.draft);
		if (!isComplete(draft.criteria) || !isChanged) return;
		const body = { criteria: toCriteria(draft.criteria, hasFinalRound(draft)) };
		const { headers } = await core.request("replaceRubric", { path: { id: taskId }, headers: conditions(), body });
		note({ criteria: hasFinalRound(draft) ? draft.criteria : showAll(draft.criteria) }, headers);
	};
	// Criteria that only the final round judges need a final round, so it is switched on before they are saved and off after they are removed.
	if (!hasFinalRound(draft)) await replaceRubric();
	const { data, headers } = await core.request("updateTask", { path: { id: taskId }, headers: conditions(), body: fields });
	note({ ...draft, criteria: stored.draft.criteria }, headers);
	if (hasFinalRound(draft)) await replaceRubric();
	return { taskId, callbackToken: data?.eval_callback_token ?? null, etag: stored.etag };
}

/** Returns the criteria as the platform stores them without a final round: none are hidden. */
function showAll(criteria: Draft["criteria"]): Draft["criteria"] {
	return criteria.map((criterion) => ({ ...criterion, finalOnly: false }));
}

/** Updates the version of a draft whose content is the same: a test suite or an attachment changes only the version. */
function renewBase(base: Base, task: TaskDetail | null, etag: string | null): Base {
	if (task === null || !isSameDraft(base.draft, storedDraft(task))) return base;
	return { ...base, etag: laterVersion(base.etag, etag) };
}

/** Saves a draft, and keeps what others changed in other fields. @throws DraftConflictError if others have changed the same fields. */
async function saveMerged(
	taskId: string | null,
	mine: Draft,
	{ base, onConflict, onStored }: { readonly base: Base; readonly onConflict: (theirs: Base) => void; readonly onStored: OnStored },
): Promise<{ readonly result: SavedDraft; readonly sent: Draft }> {
	try {
		return { result: await saveDraft(taskId, mine, { before: base, onStored }), sent: mine };
	} catch (error) {
		if (taskId === null || !hasStatus(error, 412)) throw error;
		const read = await readDraft(taskId);
		const present = { draft: storedDraft(read.task), etag: read.etag };
		const { mergeDrafts } = await import("../../rules/merge-drafts.ts");
		const { draft, clashes } = mergeDrafts(base.draft, mine, present.draft);
		if (clashes.length > 0) {
			onConflict(present);
			throw new DraftConflictError(clashes);
		}
		const result = await saveDraft(taskId, draft, { before: present, onStored });
		showMessage("Changes from another tab or program are included.");
		return { result, sent: draft };
	}
}

/** Finds the fault that the platform reported for a field, to show it next to the field. */
export function faultOf(error: Error | null, path: string): string | null {
	return error instanceof BountyApiError ? (error.faults.find((fault) => fault.path === path)?.message ?? null) : null;
}
