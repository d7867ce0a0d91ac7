// The signature of each submission is computed before it is judged, so every mode has signatures, and a crash repeats the step.
import { and, eq, sql } from "drizzle-orm";
import { getSubmissionRow } from "../../core/competition/submissions/store.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import { signatures } from "../../db/task/schema/similarity.ts";
import type { Inspection } from "../../ports/joints.ts";
import { type SignedText, signArtifact } from "./signed-work.ts";

interface WantedText {
	/** A final round may compare the files, so it needs their digest. */
	readonly isCandidate: boolean;
}

export const textInspection: Inspection<WantedText, SignedText> = {
	name: "similarity",
	open(task, { id, artifactSha256 }) {
		const isSame = and(eq(signatures.submissionId, id), sql`${signatures.artifactSha256} is ${artifactSha256}`);
		const signature = task.db.select({ id: signatures.submissionId }).from(signatures).where(isSame).get();
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
