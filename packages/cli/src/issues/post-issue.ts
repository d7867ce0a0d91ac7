// Keeps one task for each issue. The agent's workspace stores which one, so that later and parallel runs find the same task.
import { createHash } from "node:crypto";
import { CommandError } from "../core/exit-codes.ts";
import { BountyApiError, type BountyClient, type CallOptions, isRecord, type Schemas, trustDocument } from "../core/sdk.ts";
import type { NewTask } from "../work/task-file.ts";
import { updateDraft } from "../work/update-draft.ts";
import type { IssueTask } from "./issue-task.ts";

/** `kept`: the issue has changed, but its task is published and stays as it is. */
export type IssueOutcome = "created" | "updated" | "unchanged" | "kept";

export interface PostedIssue {
	readonly task: Schemas["TaskDetail"];
	readonly outcome: IssueOutcome;
}

/** Other runs may change the entry between reading and writing it, or delete the draft. */
const MAX_ATTEMPTS = 5;

/** Creates the draft of an issue, or updates the draft that it has. A published task stays as it is. */
export async function postIssue(client: BountyClient, wanted: IssueTask, options: CallOptions): Promise<PostedIssue> {
	const book = new IssueBook(client, wanted.issue.key, options);
	for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
		const posted = await tryToPost(client, { book, wanted }, options);
		if (posted !== null) return posted;
	}
	throw new CommandError("Other runs keep changing the task of this issue. Try again.", { exitCode: 9 });
}

interface Attempt {
	readonly book: IssueBook;
	readonly wanted: IssueTask;
}

/** Posts the issue. If another run is faster, returns null, and the caller must look again. */
async function tryToPost(client: BountyClient, { book, wanted }: Attempt, options: CallOptions): Promise<PostedIssue | null> {
	const entry = await book.read();
	const { link } = entry;
	if (link !== null && link.taskId !== null) {
		const task = await findTask(client, link.taskId, options);
		if (task !== null) return follow(client, { book, wanted, entry, task }, options);
	}
	const claim = link === null || link.taskId !== null ? await book.claim(wanted, entry) : { ...entry, link };
	return claim === null ? null : createFrom(client, { book, wanted, claim }, options);
}

/** Reads the task of an issue. Returns null if it was a draft that was deleted. */
async function findTask(client: BountyClient, id: string, options: CallOptions): Promise<Schemas["TaskDetail"] | null> {
	return client.getTask(id, {}, options).catch((error: unknown) => {
		if (error instanceof BountyApiError && error.status === 404) return null;
		throw error;
	});
}

interface Following extends Attempt {
	readonly entry: Entry;
	readonly task: Schemas["TaskDetail"];
}

async function follow(client: BountyClient, { book, wanted, entry, task }: Following, options: CallOptions): Promise<PostedIssue | null> {
	if (entry.link?.digest === wanted.digest) return { task, outcome: "unchanged" };
	if (task.status !== "draft") return { task, outcome: "kept" };
	const updated = await updateDraft(client, { id: task.id, wanted: wanted.task }, options).catch(async (error: unknown) => {
		const now = await findTask(client, task.id, options);
		if (now?.status === "draft") throw error;
		return null;
	});
	if (updated === null) return null;
	await book.remember({ taskId: task.id, digest: wanted.digest }, entry);
	return { task: updated, outcome: "updated" };
}

interface Creation extends Attempt {
	readonly claim: Claim;
}

/** All runs that find the same claim send the same request under the same key, so that only one draft is created. */
async function createFrom(client: BountyClient, { book, wanted, claim }: Creation, options: CallOptions): Promise<PostedIssue | null> {
	const { digest, previous, request } = claim.link;
	const isOwn = digest === wanted.digest;
	const key = createHash("sha256").update(`issue ${wanted.issue.key} after ${previous}`).digest("hex");
	let task: Schemas["CreatedTask"];
	try {
		task = await client.createTask(trustDocument<NewTask>(request), { ...options, headers: { "Idempotency-Key": key } });
	} catch (error) {
		if (!(error instanceof BountyApiError) || ![400, 409, 413, 422].includes(error.status)) throw error;
		// The platform would reject the request again, for example because the deadline of an abandoned claim is too near by now.
		await book.withdraw(claim);
		if (isOwn) throw error;
		return null;
	}
	await book.remember({ taskId: task.id, digest }, claim);
	return isOwn ? { task, outcome: "created" } : null;
}

/** What the workspace stores about an issue: its task, or the request for a task that is about to be created. */
interface Link {
	readonly taskId: string | null;
	readonly digest: string;
	/** The task before this one, whose draft was deleted. */
	readonly previous: string;
	readonly request: unknown;
}

interface Entry {
	readonly link: Link | null;
	/** The ETag of the entry, or null if there is no entry. */
	readonly etag: string | null;
}

interface Claim extends Entry {
	readonly link: Link;
}

class IssueBook {
	readonly #client: BountyClient;
	readonly #key: string;
	readonly #options: CallOptions;

	constructor(client: BountyClient, issueKey: string, options: CallOptions) {
		this.#client = client;
		this.#key = `issues/${issueKey}`;
		this.#options = options;
	}

	async read(): Promise<Entry> {
		try {
			const { data, headers } = await this.#client.request("getWorkspaceEntry", { ...this.#options, path: { key: this.#key } });
			return { link: parseLink(data?.value), etag: headers.get("ETag") };
		} catch (error) {
			if (error instanceof BountyApiError && error.status === 404) return { link: null, etag: null };
			throw error;
		}
	}

	/** Announces a new task before creating it. Returns null if another run was faster. */
	async claim({ digest, task }: IssueTask, before: Entry): Promise<Claim | null> {
		const previous = before.link?.taskId ?? before.link?.previous ?? "";
		const etag = await this.#write({ task_id: null, digest, previous, request: task }, before.etag);
		return etag === null ? null : { link: { taskId: null, digest, previous, request: task }, etag };
	}

	/** Stores which task the issue has. If another run was faster, it has already stored the same task. */
	async remember({ taskId, digest }: { taskId: string; digest: string }, before: Entry): Promise<void> {
		await this.#write({ task_id: taskId, digest }, before.etag);
	}

	/**
	 * Withdraws a claim, unless another run has changed it. The task before it stays, because the next claim needs another
	 * Idempotency-Key than that task.
	 */
	async withdraw({ link: { digest, previous }, etag }: Claim): Promise<void> {
		if (previous !== "") {
			await this.#write({ task_id: previous, digest }, etag);
			return;
		}
		const headers = etag === null ? {} : { "If-Match": etag };
		await this.#client.deleteWorkspaceEntry(this.#key, { ...this.#options, headers }).catch((error: unknown) => {
			if (!(error instanceof BountyApiError) || error.status !== 412) throw error;
		});
	}

	/** Returns the ETag of what was written, or null if the entry has changed since it was read. */
	async #write(value: object, etag: string | null): Promise<string | null> {
		const headers = etag === null ? { "If-None-Match": "*" } : { "If-Match": etag };
		try {
			const written = await this.#client.request("putWorkspaceEntry", {
				...this.#options,
				path: { key: this.#key },
				body: { value },
				headers,
			});
			return written.headers.get("ETag");
		} catch (error) {
			if (error instanceof BountyApiError && error.status === 412) return null;
			throw error;
		}
	}
}

/** The agent may have written anything under the key. Returns null for what is not a link. */
function parseLink(value: unknown): Link | null {
	if (!isRecord(value)) return null;
	const { task_id: taskId, digest, previous = "", request } = value;
	if (typeof digest !== "string" || typeof previous !== "string") return null;
	if (typeof taskId === "string") return { taskId, digest, previous, request: undefined };
	return taskId === null && isRecord(request) ? { taskId, digest, previous, request } : null;
}
