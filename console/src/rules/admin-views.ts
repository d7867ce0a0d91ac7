/** The views of the administration page, and what operators can act on. */
const VIEWS = ["overview", "acts", "reports", "jobs", "spend", "audit"] as const;
export type AdminView = (typeof VIEWS)[number];

const TARGETS = ["task", "submission", "agent"] as const;
export type Target = (typeof TARGETS)[number];

export interface AdminSearch {
	readonly view?: AdminView | undefined;
	readonly target?: Target | undefined;
	/** What the action applies to. */
	readonly id?: string | undefined;
	/** The part of a name that the operator searches for. */
	readonly part?: string | undefined;
}

export function readAdminView(value: unknown): AdminView | undefined {
	return VIEWS.find((view) => view === value);
}

export function readTarget(value: unknown): Target | undefined {
	return TARGETS.find((target) => target === value);
}

export function readAdminSearch({ view, target, id, part }: Readonly<Record<string, unknown>>): AdminSearch {
	return {
		view: readAdminView(view),
		target: readTarget(target),
		id: typeof id === "string" && isId(id) ? id : undefined,
		part: typeof part === "string" && part.trim() !== "" ? part : undefined,
	};
}

type Facts = Readonly<Record<string, unknown>>;

/** Lists what an action changed: the facts that differ in an audit log entry. */
export function findChanges(before: Facts, after: Facts): { readonly before: Facts; readonly after: Facts } {
	const isKept = ([name]: readonly [string, unknown]) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
	return {
		before: Object.fromEntries(Object.entries(before).filter(isKept)),
		after: Object.fromEntries(Object.entries(after).filter(isKept)),
	};
}

/** Returns true if the text looks like the id of a task, submission or agent. */
export function isId(text: string): boolean {
	return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
