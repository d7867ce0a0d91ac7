// Calls the grader over HTTP, at a URL or in a container of this deployment. Does not trust its responses.
import * as z from "zod";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import { type Exchange, exchange } from "../../../platform/outbound.ts";
import type { Deps, Fetch } from "../../../ports/deps.ts";
import {
	type GraderTest,
	type GradingService,
	graderTest,
	gradingResult,
	type ImageResolution,
	imageResolution,
} from "../../../ports/grading.ts";
import { showWords } from "../engine/supplier-answers.ts";
import { BAD_START_STATUS } from "./container-grader.ts";

const CALL_TIMEOUT_MS = 15 * SECOND_MS;
/** The time limit for calls to the platform's own container, which may have to boot first. */
const CONTAINER_TIMEOUT_MS = 120 * SECOND_MS;
/**
 * When a task is published, the platform waits this long for the grader, which responds after 15 s even if it is still pulling the image.
 */
const RESOLVE_TIMEOUT_MS = 25 * SECOND_MS;
/** Enough for a score file of 1 MB, and for the name and output of each case of the largest test suite. */
const MAX_RESPONSE_BYTES = 8 * 1_048_576;

/** The time limit for testing an image, including up to 90 s in which a container boots. */
const TEST_TIMEOUT_MS = 200 * SECOND_MS;

const NO_ROOM = 429;
const NO_SUCH_JOB = 404;
/** For each method, the statuses that are results instead of faults. */
const EXPECTED: Readonly<Record<string, readonly number[]>> = {
	POST: [NO_ROOM, BAD_START_STATUS],
	GET: [NO_SUCH_JOB],
	DELETE: [NO_SUCH_JOB],
};

const graderJob = z
	.object({ state: z.enum(["queued", "pulling", "running", "done"]), result: gradingResult.nullable() })
	.refine(({ state, result }) => state !== "done" || result !== null);

type GraderDeps = Pick<Deps, "config" | "clock" | "fetch" | "hubs" | "ids" | "log" | "background">;

/** Opens the configured grader, or returns null if there is none. */
export function openGrader(deps: GraderDeps): GradingService | null {
	const settings = deps.config.grader;
	if (settings === null) return null;
	const connection = settings.kind === "url" ? connectToUrl(deps, settings) : connectToContainer(deps);
	const call = (id: string, request: GraderCall) => callGrader(deps, connection, { ...request, id });
	const stop = (id: string) => call(id, { method: "DELETE", path: `/jobs/${id}`, body: null });
	/** Calls the grader outside of a run, and then stops a container that was started for the call. */
	const callOnce = async (kind: "image" | "test", request: GraderCall) => {
		const id = `${kind}-${deps.ids.next()}`;
		try {
			return await call(id, request);
		} finally {
			if (connection.isOwnContainer) deps.background(stop(id));
		}
	};
	return {
		start: async (request) => {
			const { status, body } = await call(request.id, { method: "POST", path: "/jobs", body: JSON.stringify(request) });
			if (body !== null) return "taken";
			return status === NO_ROOM ? "full" : "not_started";
		},
		find: async (id) => {
			const { body } = await call(id, { method: "GET", path: `/jobs/${id}`, body: null });
			return body === null ? null : readJob(body);
		},
		stop: async (id) => void (await stop(id)),
		async resolve(image) {
			const request = { method: "POST", path: "/images", body: JSON.stringify({ image }), timeoutMs: RESOLVE_TIMEOUT_MS } as const;
			try {
				const { body } = await callOnce("image", request);
				return body === null ? UNREACHABLE : imageResolution.parse(JSON.parse(body));
			} catch (error) {
				deps.log.error("image_not_resolved", describeError(error));
				return UNREACHABLE;
			}
		},
		async test(image) {
			const request = { method: "POST", path: "/self-test", body: JSON.stringify({ image }), timeoutMs: TEST_TIMEOUT_MS } as const;
			try {
				const { status, body } = await callOnce("test", request);
				if (body !== null) return graderTest.parse(JSON.parse(body));
				return failedTest(status === NO_ROOM ? "All containers are in use." : "The container did not start.");
			} catch (error) {
				deps.log.error("grader_test_failed", describeError(error));
				return failedTest(error instanceof EvaluationFault ? error.message : "The grader returned a response that cannot be read.");
			}
		},
	};
}

type GraderCall = Pick<Exchange, "method" | "body"> & { readonly path: string; readonly timeoutMs?: number };

/**
 * Calls the grader. The returned body is null if the status is one of {@link EXPECTED}.
 *
 * @throws EvaluationFault for other unsuccessful calls.
 */
async function callGrader(
	{ clock }: GraderDeps,
	{ origin, headers, fetchFor, ...connection }: Connection,
	{ id, path, timeoutMs = connection.timeoutMs, ...request }: GraderCall & { readonly id: string },
): Promise<{ status: number; body: string | null }> {
	const exchanged = { ...request, url: `${origin}${path}`, headers, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES };
	const response = await exchange({ clock, fetch: fetchFor(id) }, exchanged);
	if (response.kind === "failed") throw platformFault("The grader cannot be reached.", { cause: new Error(response.message) });
	const { status } = response;
	if (EXPECTED[request.method]?.includes(status)) return { status, body: null };
	if (status < 200 || status >= 300) throw refusalOf(status);
	return { status, body: response.body };
}

const failedTest = (message: string): GraderTest => ({ state: "failed", message });

const UNREACHABLE: ImageResolution = { state: "unreachable", message: "The grader cannot be reached." };

interface Connection {
	readonly origin: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	/** True if each run, test or lookup has a container of its own, which must be stopped after it. */
	readonly isOwnContainer: boolean;
	fetchFor(runId: string): Fetch;
}

const JSON_HEADERS = { "Content-Type": "application/json" };

function connectToUrl({ fetch }: GraderDeps, { url, token }: { readonly url: string; readonly token: string }): Connection {
	return {
		origin: url,
		headers: { ...JSON_HEADERS, Authorization: `Bearer ${token}` },
		timeoutMs: CALL_TIMEOUT_MS,
		isOwnContainer: false,
		fetchFor: () => fetch,
	};
}

/** Connects to a container of this deployment. The container's Durable Object adds the token to each request. */
function connectToContainer({ hubs }: GraderDeps): Connection {
	return {
		origin: "http://grader",
		headers: JSON_HEADERS,
		timeoutMs: CONTAINER_TIMEOUT_MS,
		isOwnContainer: true,
		fetchFor: (runId) => (url, init) => hubs.callGrader(runId, url, init),
	};
}

/** @throws EvaluationFault if the body is not a job, for example because it was cut at the limit and is no longer JSON. */
function readJob(body: string) {
	try {
		return graderJob.parse(JSON.parse(body));
	} catch {
		throw platformFault("The grader returned a response that cannot be read.", { cause: new Error("not JSON, or not a job") });
	}
}

/** Agents and posters read these messages, so they contain neither the grader's URL nor its texts. The status is for the operators. */
function refusalOf(status: number): EvaluationFault {
	const cause = new Error(`status ${status}`);
	if (status === 401 || status === 403) {
		return platformFault("The grader rejected this platform's token. Only the platform's operator can fix that.", { cause });
	}
	const isBusy = status >= 500 || status === 408 || status === 429;
	return platformFault(`The grader ${isBusy ? "cannot work now" : "rejected the job"} (status ${status}).`, { cause });
}

/** Builds the fault for a grader that fails or cannot be reached. The job waits and tries again. */
export function platformFault(message: string, { cause }: { cause?: Error } = {}): EvaluationFault {
	const supplierWords = cause === undefined ? null : showWords(cause.message);
	return new EvaluationFault(message, { blame: "platform", isRetryable: true, waitsFor: "grader", supplierWords, cause });
}

export interface Run {
	readonly jobId: string;
	/** The number of the run in its job, from 1. */
	readonly run: number;
}

/** Returns the grader's name for a run. It is derived from the run, so a second request for the same run gets the same job. */
export function runIdOf({ jobId, run }: Run): string {
	return `${jobId}-${run}`;
}
