import { and, desc, eq, sql } from "drizzle-orm";
import { artifactSignatures as signatures } from "../../db/schema/similarity.ts";
import { submissions } from "../../db/schema/submissions.ts";
import { selectTaskAccess } from "../../db/task-reads.ts";
import type { Deps } from "../../ports/deps.ts";

export type SignatureRow = typeof signatures.$inferSelect;

type SignedArtifact = Pick<SignatureRow, "taskId" | "submissionId" | "artifactSha256">;

/** Whether this very artifact of the submission has been signed. */
export async function hasSignature(deps: Deps, { taskId, submissionId, artifactSha256 }: SignedArtifact): Promise<boolean> {
	const isSameArtifact = sql`${signatures.artifactSha256} is ${artifactSha256}`;
	const rows = await deps.db.query
		.select({ submissionId: signatures.submissionId })
		.from(signatures)
		.where(and(eq(signatures.taskId, taskId), eq(signatures.submissionId, submissionId), isSameArtifact));
	return rows.length > 0;
}

/** Stores a signature in place of an earlier one of the same submission. */
export async function saveSignature(deps: Deps, row: SignatureRow): Promise<void> {
	const { artifactSha256, shingles, minima } = row;
	await deps.db.query
		.insert(signatures)
		.values(row)
		.onConflictDoUpdate({ target: [signatures.taskId, signatures.submissionId], set: { artifactSha256, shingles, minima } });
}

/** The task and the signatures of its newest submissions, newest first, in one round trip. */
export async function findTaskSignatures(deps: Deps, taskId: string, limit: number) {
	const [[task], rows] = await deps.db.query.batch([
		selectTaskAccess(deps.db.query, taskId),
		deps.db.query.select().from(signatures).where(eq(signatures.taskId, taskId)).orderBy(desc(signatures.submissionId)).limit(limit),
	]);
	return { task: task ?? null, rows };
}

/** The signatures of those of the submissions that have one. */
export async function selectSignatures(deps: Deps, submissionIds: readonly string[]): Promise<SignatureRow[]> {
	const wanted = sql`(select value from json_each(${JSON.stringify(submissionIds)}))`;
	const rows = await deps.db.query
		.select({ row: signatures })
		.from(submissions)
		.innerJoin(signatures, and(eq(signatures.taskId, submissions.taskId), eq(signatures.submissionId, submissions.id)))
		.where(sql`${submissions.id} in ${wanted}`);
	return rows.map(({ row }) => row);
}
