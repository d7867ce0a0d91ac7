// Candidates with the same files are judged together. Candidates whose files are only similar are judged separately.

interface HandedInWork {
	readonly submissionId: string;
	/** A digest over paths and contents. Null if the submission has no files. */
	readonly filesSha256: string | null;
	/** When the artifact was accepted, in milliseconds since the epoch. */
	readonly acceptedAt: number;
}

/**
 * Returns for each candidate which submission is judged on its behalf: the earliest with the same files, regardless of provisional scores.
 */
export function shareJudgement<Candidate extends HandedInWork>(
	candidates: readonly Candidate[],
): (Candidate & { readonly judgedId: string })[] {
	const judged = new Map<string, string>();
	const sorted = candidates.toSorted((a, b) => a.acceptedAt - b.acceptedAt || (a.submissionId < b.submissionId ? -1 : 1));
	for (const { submissionId, filesSha256 } of sorted) {
		if (filesSha256 !== null && !judged.has(filesSha256)) judged.set(filesSha256, submissionId);
	}
	return candidates.map((candidate) => {
		const { submissionId, filesSha256 } = candidate;
		return { ...candidate, judgedId: (filesSha256 === null ? undefined : judged.get(filesSha256)) ?? submissionId };
	});
}
