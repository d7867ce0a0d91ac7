// The signature of each submission is computed before it is judged, so every mode has signatures, and a crash repeats the step.
import { and, eq, sql } from "drizzle-orm";
import { getSubmissionRow } from "../../core/competition/submissions/store.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import { prepareOnce } from "../../db/task/prepared.ts";
import { signatures } from "../../db/task/schema/similarity.ts";
import type { Inspection } from "../../ports/joints.ts";
import { type SignedText, signArtifact } from "./signed-work.ts";

interface WantedText {
	/** True if a final round may compare the files, which needs their digest. */
	readonly isCandidate: boolean;
}

const signatureQuery = prepareOnce((db) => {
	const isSame = sql`${signatures.artifactSha256} is ${sql.placeholder("artifactSha256")}`;
	return db
		.select({ id: signatures.submissionId })
		.from(signatures)
		.where(and(eq(signatures.submissionId, sql.placeholder("id")), isSame))
		.prepare();
});

export const textInspection: Inspection<WantedText, SignedText> = {
	name: "similarity",
	open(task, { id, artifactSha256 }) {
		const signature = signatureQuery(task.db).get({ id, artifactSha256 });
		return signature === undefined ? { isCandidate: readTask(task).finalRound } : null;
	},
	record(task, submissionId, signed) {
		const { agentId, artifactSha256, handedInAt, createdAt } = getSubmissionRow(task, submissionId);
		const row = { artifactSha256, acceptedAt: handedInAt ?? createdAt, ...signed };
		task.db
			.insert(signatures)
			.values({ submissionId, agentId, ...row })
			.onConflictDoUpdate({ target: signatures.submissionId, set: row })
			.run();
	},
	inspect: signArtifact,
};
