// Runs the grader's jobs in memory: one per id, and a limited number in parallel. Each can be stopped.
import type { GradingRequest, GradingResult } from "../src/ports/grading.ts";
import { platformError } from "./outcome.ts";

export type WorkingState = "queued" | "pulling" | "running";

export interface JobView {
	readonly id: string;
	readonly state: WorkingState | "done";
	/** The state in words. */
	readonly progress: string;
	/** Set when the job is done. */
	readonly result: GradingResult | null;
}

export interface GradingWatch {
	/** Aborts when the job is stopped or out of time. The work must then end and clean up. */
	readonly signal: AbortSignal;
	report(state: WorkingState, progress: string): void;
}

/** Grades one submission. Known faults become outcomes; only unexpected ones are thrown. */
export type Grade = (request: GradingRequest, watch: GradingWatch) => Promise<GradingResult>;

export interface JobsOptions {
	readonly grade: Grade;
	/** The number of jobs that run in parallel. The others wait in order. */
	readonly parallel: number;
	/** How long the result of a job is kept, in milliseconds. */
	readonly keepMs: number;
	/** A running job is stopped after this many milliseconds. Time in the queue does not count. */
	readonly limitMs: (request: GradingRequest) => number;
	readonly logFault: (error: unknown) => void;
}

export interface Jobs {
	/** Starts a job. A second request with the same id returns the first job and changes nothing. */
	submit(request: GradingRequest): JobView;
	/** Returns null for a job that was never submitted, was stopped, or is forgotten. */
	find(id: string): JobView | null;
	/** Stops and removes a job, and resolves when its work has ended. Returns false for an unknown job. */
	stop(id: string): Promise<boolean>;
	/** Ends all jobs. */
	close(): Promise<void>;
}

interface Job {
	view: JobView;
	readonly request: GradingRequest;
	readonly controller: AbortController;
	ended: Promise<void>;
	forget: NodeJS.Timeout | null;
}

export function createJobs(options: JobsOptions): Jobs {
	const jobs = new Map<string, Job>();
	const waiting: Job[] = [];
	let working = 0;

	const startNext = () => {
		while (working < options.parallel) {
			const job = waiting.shift();
			if (job === undefined) return;
			working += 1;
			job.ended = work(job, options).finally(() => {
				working -= 1;
				job.forget = setTimeout(() => jobs.delete(job.request.id), options.keepMs).unref();
				startNext();
			});
		}
	};

	const stop = async (id: string): Promise<boolean> => {
		const job = jobs.get(id);
		if (job === undefined) return false;
		const place = waiting.indexOf(job);
		if (place !== -1) waiting.splice(place, 1);
		job.controller.abort();
		await job.ended;
		if (job.forget !== null) clearTimeout(job.forget);
		if (jobs.get(id) === job) jobs.delete(id);
		return true;
	};

	return {
		submit(request) {
			const running = jobs.get(request.id);
			if (running !== undefined) return running.view;
			const view: JobView = { id: request.id, state: "queued", progress: "Waiting for its turn.", result: null };
			const job: Job = { view, request, controller: new AbortController(), ended: Promise.resolve(), forget: null };
			jobs.set(request.id, job);
			waiting.push(job);
			startNext();
			return job.view;
		},
		find: (id) => jobs.get(id)?.view ?? null,
		stop,
		async close() {
			await Promise.all([...jobs.keys()].map(stop));
		},
	};
}

/** Works on a job. It never throws, because an unexpected error is a fault of the platform. */
async function work(job: Job, { grade, limitMs, logFault }: JobsOptions): Promise<void> {
	const timer = setTimeout(() => job.controller.abort(), limitMs(job.request));
	const report = (state: WorkingState, progress: string) => {
		job.view = { ...job.view, state, progress };
	};
	try {
		const result = await grade(job.request, { signal: job.controller.signal, report });
		job.view = { ...job.view, state: "done", progress: "Done.", result };
	} catch (error) {
		if (!job.controller.signal.aborted) logFault(error);
		const message = job.controller.signal.aborted ? "The grader stopped the job." : "The grader failed.";
		job.view = { ...job.view, state: "done", progress: "Done.", result: platformError(message) };
	} finally {
		clearTimeout(timer);
	}
}
