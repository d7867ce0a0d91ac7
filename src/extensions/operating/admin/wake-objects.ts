// Wakes the objects of tasks, agents and webhooks, so that each applies its migrations, and finds those that do not work.
import { chunksOf } from "../../../domain/chunks.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Deps } from "../../../ports/deps.ts";
import { readAge } from "../tasks/rewind-task.ts";
import { selectIdsAfter } from "./store.ts";

/** The objects are verified in this order. */
export const OBJECT_KINDS = ["task", "agent", "webhook"] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

export interface ObjectPlace {
	readonly kind: ObjectKind;
	/** Empty before the first object of the kind. */
	readonly id: string;
}

export interface BrokenObject extends ObjectPlace {
	readonly problem: string;
}

export const OBJECTS_PER_STEP = 100;
const OBJECTS_AT_ONCE = 10;
const FIRST: ObjectPlace = { kind: "task", id: "" };

/** For each kind of object, a call that only reads. The object applies its migrations before it responds. */
const CALLS: Readonly<Record<ObjectKind, (deps: Deps, id: string) => Promise<unknown>>> = {
	task: (deps, id) => readAge(deps, id, null),
	agent: ({ hubs }, id) => hubs.callWorkspace(id, (workspace) => workspace.openTables()),
	webhook: ({ hubs }, id) => hubs.callSender(id, (sender) => sender.listDeliveries({ before: null, limit: 1 })),
};

/** Wakes the objects after a position. Returns those that fail, and the position to continue after, or null once all objects are woken. */
export async function verifyStep(
	deps: Deps,
	after: ObjectPlace | null,
): Promise<{ verified: number; broken: BrokenObject[]; last: ObjectPlace | null }> {
	const { kind, id } = after ?? FIRST;
	const ids = await selectIdsAfter(deps, kind, { id, limit: OBJECTS_PER_STEP });
	const broken: BrokenObject[] = [];
	for (const chunk of chunksOf(ids, OBJECTS_AT_ONCE)) {
		const problems = await Promise.all(chunk.map((each) => findProblem(deps, { kind, id: each })));
		broken.push(...problems.filter((problem) => problem !== null));
	}
	return { verified: ids.length, broken, last: nextPlace(kind, ids) };
}

function nextPlace(kind: ObjectKind, ids: readonly string[]): ObjectPlace | null {
	const last = ids.at(-1);
	if (last !== undefined && ids.length === OBJECTS_PER_STEP) return { kind, id: last };
	const next = OBJECT_KINDS[OBJECT_KINDS.indexOf(kind) + 1];
	return next === undefined ? null : { kind: next, id: "" };
}

/** Tries twice, because a connection may have been lost. An object whose task was deleted counts as working. */
async function findProblem(deps: Deps, place: ObjectPlace): Promise<BrokenObject | null> {
	let problem = "";
	for (let tried = 0; tried < 2; tried += 1) {
		try {
			await CALLS[place.kind](deps, place.id);
			return null;
		} catch (error) {
			if (error instanceof AppError && error.code === "NOT_FOUND") return null;
			problem = error instanceof Error ? error.message : String(error);
		}
	}
	return { ...place, problem };
}
