// Verifies the digest of a task without network. `npm run verify` also uses this.
import { canonicalCommitment, canonicalTask, type FixedCriterion } from "../../../../src/domain/task-digest.ts";
import { VerificationError } from "../core/errors.ts";
import { sha256Hex } from "../core/hash.ts";
import { type FixedTaskFields, fixedTaskSchema, parseAs, type ShownCriterion } from "./claims.ts";

/**
 * Computes the digest of a task again from what the task shows, including the commitments of its hidden criteria.
 *
 * @param task The response of `client.getTask(id)` or `client.getPublicTask(id)`, or a copy of it.
 * @param expected A digest to compare with, from a receipt or an earlier copy. Without one, this shows only that the task is consistent with itself.
 * @returns The digest.
 * @throws VerificationError that names everything that differs.
 */
export async function verifyTask(task: unknown, expected?: string): Promise<string> {
	const shown = parseAs(fixedTaskSchema, task, "The file is not the detail or the public view of a task");
	const { digest, faults } = await checkTask(shown);
	const all = [...faults, ...compareDigest(digest, expected)];
	if (all.length > 0) throw new VerificationError(all.join("\n"));
	return digest;
}

function compareDigest(digest: string, expected: string | undefined): string[] {
	return expected === undefined || expected === digest ? [] : [`The task's SHA-256 is ${digest}, but ${expected} was expected.`];
}

/** @internal */
export async function checkTask(task: FixedTaskFields): Promise<{ readonly digest: string; readonly faults: readonly string[] }> {
	const criteria: FixedCriterion[] = [];
	const faults: string[] = [];
	for (const criterion of task.criteria) {
		const { commitment, salt, weight, position } = criterion;
		criteria.push(commitment === undefined ? criterion : { weight, position, commitment });
		if (commitment !== undefined && salt !== undefined) faults.push(...(await compareCommitment(criterion, { commitment, salt })));
	}
	const digest = await hashText(canonicalTask({ ...task, criteria }));
	if (task.task_sha256 === null) faults.push("The task is a draft. Publishing it fixes its SHA-256.");
	else if (task.task_sha256 !== digest) faults.push(`The task's SHA-256 is ${digest}; its task_sha256 says ${task.task_sha256}.`);
	return { digest, faults };
}

async function compareCommitment(criterion: ShownCriterion, { commitment, salt }: { readonly commitment: string; readonly salt: string }) {
	const digest = await hashText(canonicalCommitment(criterion, salt));
	if (digest === commitment) return [];
	return [`The text of ${JSON.stringify(criterion.name)} has the commitment ${digest}; the task says ${commitment}.`];
}

/** @internal */
export function hashText(text: string): Promise<string> {
	return sha256Hex(new Uint8Array(new TextEncoder().encode(text)));
}
