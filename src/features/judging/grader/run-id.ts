// Names a run of an image.

export interface Run {
	readonly jobId: string;
	/** The run has this number within its job, from 1. */
	readonly run: number;
}

/** Returns the grader's name for a run. It is derived, so a second request for the same run gets the same job. */
export function runIdOf({ jobId, run }: Run): string {
	return `${jobId}-${run}`;
}
