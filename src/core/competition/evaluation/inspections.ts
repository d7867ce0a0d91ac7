// Extensions can inspect the files of a submission before it is judged. Their findings are stored when the attempt ends.
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";

/** What each inspection wants to find out, keyed by the inspection's name. */
export type WantedFindings = Readonly<Record<string, object>>;

/** Asks each inspection what it still needs to find out about a submission's artifact. */
export function openInspections(
	task: TaskStore,
	submission: { readonly id: string; readonly artifactSha256: string | null },
): WantedFindings {
	const wantedByName = task.parts.inspections.map(({ name, open }) => [name, open(task, submission)] as const);
	return Object.fromEntries(wantedByName.flatMap(([name, wanted]) => (wanted === null ? [] : [[name, wanted]])));
}

/** Runs the inspections one after the other, because each may need a lot of memory. */
export async function inspectFiles(deps: Deps, artifactKey: string, wanted: WantedFindings): Promise<Readonly<Record<string, object>>> {
	const inspected: Record<string, object> = {};
	for (const inspector of deps.inspectors) {
		const ownWanted = wanted[inspector.name];
		if (ownWanted !== undefined) inspected[inspector.name] = await inspector.inspect(deps, artifactKey, ownWanted);
	}
	return inspected;
}

export function recordInspections(task: TaskStore, submissionId: string, inspected: Readonly<Record<string, object>>): void {
	for (const inspection of task.parts.inspections) {
		const finding = inspected[inspection.name];
		if (finding !== undefined) inspection.record(task, submissionId, finding);
	}
}
