// Candidates with the same files are judged once. Work that is only similar is judged separately.

interface HandedInWork {
	readonly submissionId: string;
	/** The digest covers paths and contents. It is null if the work has no files. */
	readonly filesSha256: string | null;
	/** The artifact was accepted at this time, in milliseconds since the epoch. */
	readonly acceptedAt: number;
}

/** Says for each candidate which submission is judged for it: the earliest of those with the same files. Provisional scores play no part. */
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
