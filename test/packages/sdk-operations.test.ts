// Every endpoint of the OpenAPI document can be reached through the SDK.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BountyClient, OPERATIONS, type OperationId } from "../../packages/sdk/src/index.ts";
import { readProjectFile } from "../contract/sources.ts";

const BASE_URL = "https://bounties.example/base";
const ID = "01a230d9-a660-778d-8de6-c44c789d6478";
const SIGNED = "https://storage.example/signed?signature=1";
const ZIP = new Uint8Array([1, 2, 3]);
const FILES = { "SUBMISSION.md": "# What I Built\n" };

type Call = (client: BountyClient) => unknown;

const drain = async (events: AsyncIterable<unknown>) => {
	for await (const _ of events) return;
};
const because = { reason: "r" };
const task = { title: "t", budget_cents: 1, deadline: "2026-12-08T18:00:00.000Z", criteria: [] };

/** The method of each operation. `SIGNED` operations go to the URL that the platform has given out. */
const METHODS: Readonly<Record<string, Call>> = {
	registerAnonymous: (client) => client.agent.register(),
	whoAmI: (client) => client.agent.whoami(),
	getProfile: (client) => client.agent.profile(),
	updateProfile: (client) => client.agent.updateProfile({}),
	createApiKey: (client) => client.keys.create({}),
	listApiKeys: (client) => client.keys.list(),
	revokeApiKey: (client) => client.keys.revoke(ID),
	getWallet: (client) => client.wallet.get(),
	updateWallet: (client) => client.wallet.update({ payout_method: "onchain_usdc" }),
	createWalletChallenge: (client) => client.wallet.createChallenge(),
	signWalletChallenge: (client) => client.wallet.signChallenge({ nonce: "n", ts: 1, sig: "s", signature: "0x" }),
	listOperatorTokens: (client) => client.operators.list(),
	createOperatorToken: (client) => client.operators.create({ label: "n" }),
	mintChildKey: (client) => client.operators.mintChild("svc_op_1", { display_name: "n" }),
	revokeOperatorToken: (client) => client.operators.revoke(ID),
	listSignInProviders: (client) => client.session.providers(),
	getSession: (client) => client.session.get(),
	signOut: (client) => client.session.signOut(),
	claimAgent: (client) => client.session.claim({ api_key: "svc_sk_1" }),
	createTask: (client) => client.tasks.create(task),
	listTasks: (client) => client.tasks.list().page(),
	updateTask: (client) => client.tasks.update(ID, { title: "t" }),
	deleteTask: (client) => client.tasks.delete(ID),
	getTask: (client) => client.tasks.get(ID),
	cloneTask: (client) => client.tasks.clone(ID, { deadline: task.deadline }),
	extendTask: (client) => client.tasks.extend(ID, { deadline: task.deadline }),
	replaceRubric: (client) => client.tasks.replaceRubric(ID, { criteria: [] }),
	lintTask: (client) => client.tasks.lint(ID),
	uploadTestSuite: (client) => client.tasks.uploadTestSuite(ID, { test_cases: [] }),
	downloadTestSuite: (client) => client.tasks.downloadTestSuite(SIGNED),
	publishTask: (client) => client.tasks.publish(ID),
	closeTask: (client) => client.tasks.close(ID),
	listPublicTasks: (client) => client.public.tasks().page(),
	quickSubmit: (client) => client.submissions.quickSubmit(ID, { files: FILES }),
	createSubmission: (client) => client.submissions.register(ID),
	listTaskSubmissions: (client) => client.tasks.submissions(ID).page(),
	uploadArtifact: (client) => client.submissions.upload(ID, ZIP),
	putArtifact: (client) => client.submissions.putArtifact(SIGNED, ZIP),
	getArtifact: (client) => client.submissions.downloadArtifact(SIGNED),
	refreshUploadUrl: (client) => client.submissions.refreshUploadUrl(ID),
	completeSubmission: (client) => client.submissions.complete(ID),
	requestReEvaluation: (client) => client.submissions.requestReEvaluation(ID),
	listSubmissions: (client) => client.submissions.list().page(),
	getSubmission: (client) => client.submissions.get(ID),
	getSubmissionStatus: (client) => client.submissions.status(ID),
	getSubmissionDetails: (client) => client.submissions.details(ID),
	listEvaluations: (client) => client.submissions.evaluations(ID).page(),
	listSubmissionFiles: (client) => client.submissions.files(ID).page(),
	readSubmissionFile: (client) => client.submissions.readFile(ID, "src/a b.js"),
	exportTask: async (client) => drain(await client.tasks.export(ID)),
	checkSubmission: (client) => client.tasks.check(ID, FILES),
	postExternalScore: (client) => client.submissions.postExternalScore(ID, { callback_token: "t", final_score: 1 }),
	getReceiptKeys: (client) => client.receipts.keys(),
	listSimilarWork: (client) => client.tasks.similar(ID).page(),
	pickSubmission: (client) => client.tasks.pick(ID, { submission_id: ID }),
	startDryRun: (client) => client.dryRuns.start(ID, FILES),
	getDryRun: (client) => client.dryRuns.get(ID),
	listDryRuns: (client) => client.dryRuns.list(ID).page(),
	downloadTrialArtifact: (client) => client.dryRuns.downloadArtifact(SIGNED),
	getLeaderboard: (client) => client.leaderboard.get(ID),
	getPublicTask: (client) => client.public.task(ID),
	getPublicLeaderboard: (client) => client.public.leaderboard(ID),
	getJsonFeed: (client) => client.public.jsonFeed(),
	getRssFeed: (client) => client.public.rssFeed(),
	getBadge: (client) => client.public.badge(ID),
	searchTasks: (client) => client.search.tasks({ query: "csv" }).page(),
	addAttachment: (client) => client.attachments.add(ID, { name: "a.txt", content: "a", field: "description" }),
	listAttachments: (client) => client.attachments.list(ID),
	deleteAttachment: (client) => client.attachments.delete(ID, ID),
	downloadAttachment: (client) => client.attachments.download(SIGNED),
	createDeal: (client) => client.deals.create({ taskId: ID, agentId: ID, dealType: "output_purchase", dealValueCents: 1 }),
	listDeals: (client) => client.deals.list().page(),
	getDeal: (client) => client.deals.get(ID),
	acceptDeal: (client) => client.deals.accept(ID),
	payDeal: (client) => client.deals.pay(ID, { payment_reference: "invoice 7" }),
	confirmDeal: (client) => client.deals.confirm(ID),
	disputeDeal: (client) => client.deals.dispute(ID, { reason: "r" }),
	getDashboardStats: (client) => client.dashboard.stats(),
	listDashboardSubmissions: (client) => client.dashboard.submissions().page(),
	createWebhook: (client) => client.webhooks.create({ url: "https://agent.example/hook", events: ["deal.created"] }),
	listWebhooks: (client) => client.webhooks.list().page(),
	deleteWebhook: (client) => client.webhooks.delete(ID),
	testWebhook: (client) => client.webhooks.test(ID),
	rotateWebhookSecret: (client) => client.webhooks.rotateSecret(ID),
	listWebhookDeliveries: (client) => client.webhooks.deliveries(ID).page(),
	replayWebhookDelivery: (client) => client.webhooks.replay(ID, ID),
	streamBounties: (client) => drain(client.tasks.streamNew({ category: ["data"] }, { maxOutageMs: 0 })),
	streamSubmission: (client) => drain(client.submissions.stream(ID, { maxOutageMs: 0 })),
	streamLeaderboard: (client) => drain(client.leaderboard.stream(ID, { maxOutageMs: 0 })),
	streamPublicTask: (client) => drain(client.public.stream(ID, { maxOutageMs: 0 })),
	streamTask: (client) => drain(client.tasks.stream(ID, { maxOutageMs: 0 })),
	getWorkspaceEntry: (client) => client.workspace.values.get("runs/latest"),
	putWorkspaceEntry: (client) => client.workspace.values.put("runs/latest", 1),
	deleteWorkspaceEntry: (client) => client.workspace.values.delete("runs/latest"),
	listWorkspaceEntries: (client) => client.workspace.values.list().page(),
	getWorkspaceQuota: (client) => client.workspace.values.quota(),
	getWorkspaceFileQuota: (client) => client.workspace.files.quota(),
	storeWorkspaceFile: (client) => client.workspace.files.put("a.txt", "small"),
	listWorkspaceFiles: (client) => client.workspace.files.list().page(),
	createWorkspaceUploadUrl: (client) => client.workspace.files.put("large.bin", new Uint8Array(5 * 1024 * 1024)),
	putWorkspaceUpload: (client) => client.workspace.putUpload(SIGNED, ZIP),
	finalizeWorkspaceUpload: (client) => client.workspace.files.put("large.bin", new Uint8Array(5 * 1024 * 1024)),
	readWorkspaceFile: (client) => client.workspace.files.read("notes/a.txt"),
	deleteWorkspaceFile: (client) => client.workspace.files.delete("notes/a.txt"),
	listDocs: (client) => client.docs.list(),
	getDocsPage: (client) => client.docs.page("concepts/tasks"),
	searchDocs: (client) => client.docs.search({ q: "rubric" }),
	getHandbook: (client) => client.docs.handbook(),
	createReport: (client) => client.reports.create({ task_id: ID, reason: "r" }),
	suspendAgent: (client) => client.admin.suspendAgent(ID, because),
	restoreAgent: (client) => client.admin.restoreAgent(ID, because),
	exportAgent: (client) => client.admin.exportAgent(ID),
	eraseAgent: (client) => client.admin.eraseAgent(ID, because),
	takeDownTask: (client) => client.admin.takeDownTask(ID, because),
	restoreTask: (client) => client.admin.restoreTask(ID, because),
	voidSubmission: (client) => client.admin.voidSubmission(ID, because),
	reEvaluateSubmission: (client) => client.admin.reEvaluateSubmission(ID, because),
	listJobs: (client) => client.admin.jobs().page(),
	retryJob: (client) => client.admin.retryJob(ID, because),
	getSwitches: (client) => client.admin.switches(),
	setSwitches: (client) => client.admin.setSwitches({ writes: { on: false } }),
	getSpend: (client) => client.admin.spend(),
	setCeilings: (client) => client.admin.setCeilings({ task: { tokens: 1 }, ...because }),
	rebuildSearch: (client) => client.admin.rebuildSearch(because),
	rebuildDirectory: (client) => client.admin.rebuildDirectory(because),
	inspectTask: (client) => client.admin.inspectTask(ID),
	rewindTask: (client) => client.admin.rewindTask(ID, { to: "2026-11-20T12:00:00Z", ...because }),
	getMetrics: (client) => client.admin.metrics(),
	listAuditEntries: (client) => client.admin.audit().page(),
	listReports: (client) => client.admin.reports().page(),
	getHealth: (client) => client.docs.health(),
	getOpenApi: (client) => client.docs.openApi(),
	getOpenApiPiece: (client) => client.docs.openApiOperation("quickSubmit"),
};

/** A browser goes there; the SDK makes the URL. */
const URLS: Readonly<Record<string, (client: BountyClient) => string>> = {
	startSignIn: (client) => client.session.signInUrl("google"),
	finishSignIn: (client) => client.session.callbackUrl("google"),
};

/** What the Worker renders for browsers and search engines. */
const PAGES = ["/tasks", "/tasks/{id}", "/sitemap.xml"];

const documentSchema = z.object({
	paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string(), tags: z.array(z.string()) }))),
});
const operations = Object.entries(documentSchema.parse(JSON.parse(readProjectFile("docs/openapi.json"))).paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, { operationId, tags }]) => ({ id: operationId, method: method.toUpperCase(), path, tags })),
);
const isOperation = (id: string): id is OperationId => Object.hasOwn(OPERATIONS, id);

/** Requests of a call, as "GET /path". The response fits lists, uploads and nothing else, which is enough to get the request out. */
async function requestsOf(call: Call): Promise<string[]> {
	const sent: string[] = [];
	const client = new BountyClient({
		baseUrl: BASE_URL,
		apiKey: "svc_sk_1",
		maxRetries: 0,
		fetch: async (url, init) => {
			sent.push(`${init?.method} ${url}`);
			return Response.json({ data: [], entries: [], next_cursor: null, upload_url: SIGNED, storage_ref: ID });
		},
	});
	await Promise.resolve(call(client)).catch(() => {});
	return sent;
}

/** Matches the URLs of an operation. */
function patternOf({ method, path }: { method: string; path: string }): RegExp {
	const escaped = path.replace(/[.?+^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/?]+");
	return new RegExp(`^${method} ${BASE_URL}${escaped}(\\?.*)?$`);
}

describe("the SDK and the OpenAPI document", () => {
	it("have the same operations", () => {
		expect(Object.entries(OPERATIONS).map(([id, { method, path }]) => `${id} ${method} ${path}`)).toEqual(
			expect.arrayContaining(operations.map(({ id, method, path }) => `${id} ${method} ${path}`)),
		);
		expect(Object.keys(OPERATIONS).length).toBe(operations.length);
	});

	it("knows no method for an operation that is gone", () => {
		expect([...Object.keys(METHODS), ...Object.keys(URLS)].filter((id) => !isOperation(id))).toEqual([]);
	});

	it("has a method for every operation, but for pages and MCP", () => {
		const isElsewhere = ({ path, tags }: { path: string; tags: string[] }) =>
			tags.some((tag) => tag === "Documentation" || tag === "MCP") || PAGES.some((page) => page === path);
		const missing = operations.filter((operation) => !(operation.id in METHODS || operation.id in URLS || isElsewhere(operation)));
		expect(missing).toEqual([]);
	});

	it.each(operations.filter(({ id }) => id in METHODS))("sends $method $path", async (operation) => {
		const call = METHODS[operation.id];
		const sent = call === undefined ? [] : await requestsOf(call);
		const isSigned = (call?.toString() ?? "").includes("SIGNED");
		expect(sent).toContainEqual(isSigned ? `${operation.method} ${SIGNED}` : expect.stringMatching(patternOf(operation)));
	});

	it("makes the URLs that a browser goes to", () => {
		const client = new BountyClient({ baseUrl: BASE_URL });
		for (const [id, url] of Object.entries(URLS)) {
			const operation = operations.find((each) => each.id === id) ?? { method: "", path: "" };
			expect(`GET ${url(client)}`).toMatch(patternOf(operation));
		}
	});

	it("reaches everything else by its operationId", async () => {
		const rest = operations.filter(({ id }) => !(id in METHODS || id in URLS));
		expect(rest.length).toBeGreaterThan(0);
		for (const operation of rest) {
			const { id } = operation;
			if (!isOperation(id)) throw new Error(`${id} is not in the SDK's table.`);
			const input = { path: { path: "a.css", slug: "index", id: ID } };
			// The type of the input depends on an id that is known only at run time here.
			const sent = await requestsOf((client) => Reflect.apply(client.request, client, [id, input]));
			expect(sent).toContainEqual(expect.stringMatching(patternOf(operation)));
		}
	});
});
