import { decodeText, type OpenResponse, openBody, splitLines } from "../core/body-stream.ts";
import type { BountyEvent, TaskEvent } from "../core/events.ts";
import { type FollowOptions, follow } from "../core/follow.ts";
import type { BodyOf, QueryOf, ResultOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { listOf } from "../core/pages.ts";
import { Resource } from "../core/resource.ts";
import type { Schemas } from "../core/schemas.ts";
import { check, type Submittable } from "../submit/submit.ts";

/** Cases that the image of a task is run with. */
export type TestSuite = ResultOf<"downloadTestSuite">;

/** The platform reads a large export part by part. */
const EXPORT_IDLE_MS = 60_000;

/** Tasks: finding them, and posting your own. */
export class Tasks extends Resource {
	/** Open tasks, soonest deadline first. With `owner: "me"`, your own tasks in every state. */
	list(query: QueryOf<"listTasks"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listTasks", { query, ...options });
	}

	/** A task with its rubric. `fields` selects top-level fields. */
	get(id: string, query: QueryOf<"getTask"> = {}, options: CallOptions = {}) {
		return this.core.call("getTask", { path: { id }, query, ...options });
	}

	/** Creates a draft. Only you see it until it is published. */
	create(body: BodyOf<"createTask">, options: CallOptions = {}) {
		return this.core.call("createTask", { body, ...options });
	}

	/** Changes a draft. */
	update(id: string, body: BodyOf<"updateTask">, options: CallOptions = {}) {
		return this.core.call("updateTask", { path: { id }, body, ...options });
	}

	/** Deletes a draft. */
	delete(id: string, options: CallOptions = {}) {
		return this.core.call("deleteTask", { path: { id }, ...options });
	}

	/** Copies a task into a new draft. */
	clone(id: string, body: BodyOf<"cloneTask">, options: CallOptions = {}) {
		return this.core.call("cloneTask", { path: { id }, body, ...options });
	}

	/** Moves the deadline of an open task to a later time. */
	extend(id: string, body: BodyOf<"extendTask">, options: CallOptions = {}) {
		return this.core.call("extendTask", { path: { id }, body, ...options });
	}

	/** Replaces the rubric of a draft. */
	replaceRubric(id: string, body: BodyOf<"replaceRubric">, options: CallOptions = {}) {
		return this.core.call("replaceRubric", { path: { id }, body, ...options });
	}

	/** Finds criteria that are hard to judge. */
	lint(id: string, options: CallOptions = {}) {
		return this.core.call("lintTask", { path: { id }, ...options });
	}

	/** Opens a draft for submissions. */
	publish(id: string, options: CallOptions = {}) {
		return this.core.call("publishTask", { path: { id }, ...options });
	}

	/** Ends a task before its deadline. */
	close(id: string, options: CallOptions = {}) {
		return this.core.call("closeTask", { path: { id }, ...options });
	}

	/** Says what would become of files or of a zip as a submission. Takes no slot. */
	check(id: string, work: Submittable, options: CallOptions = {}): Promise<Schemas["CheckResult"]> {
		return check(this.core, id, { work, options });
	}

	/** Chooses the submission that a final round judges again. */
	pick(id: string, body: BodyOf<"pickSubmission">, options: CallOptions = {}) {
		return this.core.call("pickSubmission", { path: { id }, body, ...options });
	}

	/** The submissions that a task of yours has received. */
	submissions(id: string, query: QueryOf<"listTaskSubmissions"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listTaskSubmissions", { path: { id }, query, ...options });
	}

	/** Pairs of submissions whose text is alike, of a task of yours. */
	similar(id: string, query: QueryOf<"listSimilarWork"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listSimilarWork", { path: { id }, query, ...options });
	}

	/** All submissions of a task of yours as CSV, or as one JSON object per line. The text comes as it is read. */
	async export(id: string, format: "csv" | "jsonl" = "csv", options: CallOptions = {}): Promise<AsyncIterable<string>> {
		const { chunks } = await this.#openExport(id, format, options);
		return decodeText(chunks);
	}

	/** All submissions of a task of yours as objects. */
	async *exportRows(id: string, options: CallOptions = {}): AsyncGenerator<Readonly<Record<string, unknown>>, void, undefined> {
		const { chunks } = await this.#openExport(id, "jsonl", options);
		for await (const line of splitLines(decodeText(chunks))) if (line !== "") yield JSON.parse(line);
	}

	/** Stores the cases that an image is run with. */
	uploadTestSuite(id: string, suite: TestSuite, options: CallOptions = {}): Promise<ResultOf<"uploadTestSuite">> {
		const content = () => {
			const form = new FormData();
			form.append("file", new Blob([JSON.stringify(suite)], { type: "application/json" }), "tests.json");
			return { content: form };
		};
		return this.core.callWith("uploadTestSuite", { path: { id }, ...options }, { content });
	}

	/** Reads the cases by the signed URL that a grader is given. */
	downloadTestSuite(signedUrl: string, options: CallOptions = {}): Promise<TestSuite> {
		return this.core.callWith("downloadTestSuite", options, { signedUrl });
	}

	/** Each change of a task, up to its end. */
	stream(id: string, options: FollowOptions = {}): AsyncGenerator<TaskEvent, void, undefined> {
		return follow<TaskEvent>(this.core, { id: "streamTask", input: { path: { id } } }, options);
	}

	/** New tasks that match a filter, as they are published. */
	streamNew(query: QueryOf<"streamBounties"> = {}, options: FollowOptions = {}): AsyncGenerator<BountyEvent, void, undefined> {
		return follow<BountyEvent>(this.core, { id: "streamBounties", input: { query } }, options);
	}

	#openExport(id: string, format: "csv" | "jsonl", options: CallOptions): Promise<OpenResponse> {
		return this.core.send("exportTask", { input: { path: { id }, query: { format }, ...options } }, openBody({ idleMs: EXPORT_IDLE_MS }));
	}
}
