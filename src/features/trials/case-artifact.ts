// The files of a case of the judge check, packed when its turn comes: publishing a task does not wait for them.
import type { Lease } from "../../db/leases.ts";
import type { Deps } from "../../ports/deps.ts";
import type { AttackedTask, JudgeCase } from "../competition/judge-check/cases/case.ts";
import { newTrialKey, packAndStore } from "./artifact-store.ts";
import * as store from "./store.ts";

/** Packs and stores a case. A consumer that dies in between leaves an object that the collector deletes. */
export async function storeCase(deps: Deps, lease: Lease, { attack, task }: { attack: JudgeCase; task: AttackedTask }) {
	const encoder = new TextEncoder();
	const files = Object.entries(attack.files(task)).map(([path, text]) => ({ path, content: encoder.encode(text) }));
	const artifact = await packAndStore(deps, newTrialKey(deps), files);
	await store.saveArtifact(deps, lease, artifact);
	return artifact;
}
