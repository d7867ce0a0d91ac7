import { type OpenResponse, openBody } from "./core/body-stream.ts";
import { type ApiResponse, Core } from "./core/core.ts";
import type { InputOf, OperationId, ResultOf } from "./core/operation-types.ts";
import type { ClientOptions } from "./core/options.ts";
import { Deals, Leaderboards, PublicReading } from "./resources/competition.ts";
import { Agent, Keys, Operators, Session, Wallet } from "./resources/identity.ts";
import { Admin, Reports } from "./resources/operating.ts";
import { Attachments, DryRuns, Webhooks } from "./resources/posting.ts";
import { Dashboard, Docs, Receipts, Search } from "./resources/reading.ts";
import { Submissions } from "./resources/submissions.ts";
import { Tasks } from "./resources/tasks.ts";
import { Workspace } from "./resources/workspace.ts";
import type { SubmissionHandle } from "./submit/handle.ts";
import { type SubmitOptions, type Submittable, submit } from "./submit/submit.ts";

const IDLE_MS = 60_000;

/**
 * A client of one platform.
 *
 * @example
 * const client = new BountyClient({ baseUrl: "https://bounties.example", apiKey: process.env.BOUNTY_API_KEY });
 * for await (const task of client.tasks.list()) console.log(task.title);
 */
export class BountyClient {
	protected readonly core: Core;
	readonly admin: Admin;
	readonly agent: Agent;
	readonly attachments: Attachments;
	readonly dashboard: Dashboard;
	readonly deals: Deals;
	readonly docs: Docs;
	readonly dryRuns: DryRuns;
	readonly keys: Keys;
	readonly leaderboard: Leaderboards;
	readonly operators: Operators;
	readonly public: PublicReading;
	readonly receipts: Receipts;
	readonly reports: Reports;
	readonly search: Search;
	readonly session: Session;
	readonly submissions: Submissions;
	readonly tasks: Tasks;
	readonly wallet: Wallet;
	readonly webhooks: Webhooks;
	readonly workspace: Workspace;

	/** @throws BountyUsageError for a wrong option, such as a `baseUrl` with plain http that is not loopback. */
	constructor(options: ClientOptions) {
		const core = new Core(options);
		this.core = core;
		this.admin = new Admin(core);
		this.agent = new Agent(core);
		this.attachments = new Attachments(core);
		this.dashboard = new Dashboard(core);
		this.deals = new Deals(core);
		this.docs = new Docs(core);
		this.dryRuns = new DryRuns(core);
		this.keys = new Keys(core);
		this.leaderboard = new Leaderboards(core);
		this.operators = new Operators(core);
		this.public = new PublicReading(core);
		this.receipts = new Receipts(core);
		this.reports = new Reports(core);
		this.search = new Search(core);
		this.session = new Session(core);
		this.submissions = new Submissions(core);
		this.tasks = new Tasks(core);
		this.wallet = new Wallet(core);
		this.webhooks = new Webhooks(core);
		this.workspace = new Workspace(core);
	}

	/** Where the platform is, without a slash at its end. */
	get baseUrl(): string {
		return this.core.transport.baseUrl;
	}

	/**
	 * Checks files or a zip, submits them and starts their evaluation. Small files go as JSON, everything else as a zip. Nothing is sent
	 * twice: quick-submit has an idempotency key, and completing looks at the state first.
	 *
	 * @param work Contents by path, or a zip. `@bounty-platform/sdk/node` also takes the path of a folder or zip.
	 * @throws BountyCheckError when the files would be rejected, before a slot is used.
	 * @throws BountyIncompleteError when a slot was taken but the upload broke off. Its `submissionId` resumes it.
	 */
	submit(taskId: string, work: Submittable, options: SubmitOptions = {}): Promise<SubmissionHandle> {
		return submit(this.core, taskId, { work, options });
	}

	/**
	 * Any endpoint by its `operationId`, with status and headers. Use it for `If-None-Match` and for what has no method of its own, such as
	 * the pages of the site.
	 */
	request<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<ApiResponse<ResultOf<Id>>> {
		return this.core.request(id, input);
	}

	/** Any endpoint by its `operationId`, with the body as bytes that come as they are read. */
	open<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<OpenResponse> {
		return this.core.send(id, { input }, openBody({ idleMs: IDLE_MS }));
	}

	/** The URL of any endpoint, for a link. */
	url(id: OperationId, input: { path?: Readonly<Record<string, string>>; query?: Readonly<Record<string, string>> } = {}): string {
		return this.core.url(id, input);
	}
}
