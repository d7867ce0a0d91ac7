// Provides a request that succeeds for each operation that writes, with all that it needs.

import { env } from "cloudflare:workers";
import { privateKeyToAccount } from "viem/accounts";
import { endpoints } from "../../src/compose/endpoints.ts";
import { SESSION_COOKIE } from "../../src/http/session-cookie.ts";
import { ADMIN_TOKEN } from "./admin.ts";
import { goodZipWith } from "./archives.ts";
import { Authenticator } from "./authenticator.ts";
import { type CallInput, makeIfThere } from "./client.ts";
import { loseTask, loseWorkspace } from "./copies.ts";
import { recordDeal, seedClosedTask } from "./deals.ts";
import type { ReadyCall, Stage } from "./fault-stage.ts";
import { changeSubmissions } from "./house.ts";
import { signInHuman } from "./identities.ts";
import { messageOf } from "./mcp.ts";
import { OAUTH_CALLS } from "./oauth-calls.ts";
import { addPasskey, makePasskey, signWith } from "./passkeys.ts";
import {
	attachmentForm,
	createDraft,
	GOOD_FILES,
	hoursFromNow,
	openTask,
	type RegisteredClient,
	taskInput,
	testSuiteForm,
} from "./scenario.ts";
import { atSignedUrl } from "./uploads.ts";

type Prepare = (stage: Stage) => Promise<ReadyCall>;

/** All requests use the same deadline, so that two of a kind change the same numbers. */
const DEADLINE = hoursFromNow(48);
const LATER_DEADLINE = hoursFromNow(100);
const WALLET = privateKeyToAccount(`0x${"7".repeat(64)}`);

const because = { reason: "It breaks the rules." };
const files = { files: GOOD_FILES };
const by = ({ key }: RegisteredClient, input: CallInput = {}): ReadyCall => ({ key, ...input });
const asAdmin = (id: string, body: object = because): ReadyCall => ({ key: ADMIN_TOKEN, params: { id }, body });

async function withDraft(stage: Stage) {
	const poster = await stage.join();
	const { id } = await createDraft(poster, { deadline: DEADLINE });
	return { poster, id };
}

const onDraft =
	(input: () => CallInput = () => ({})): Prepare =>
	async (stage) => {
		const { poster, id } = await withDraft(stage);
		return by(poster, { params: { id }, ...input() });
	};

async function withOpenTask(stage: Stage, change: Readonly<Record<string, unknown>> = {}) {
	const [poster, agent] = [await stage.join(), await stage.join()];
	return { poster, agent, taskId: await openTask(poster, { deadline: DEADLINE, ...change }) };
}

async function withInvitedTask(stage: Stage) {
	const task = await withOpenTask(stage, { access: "invited" });
	const { invite_code: code = "" } = await task.poster.call("getTask", { params: { id: task.taskId } });
	return { ...task, code };
}

async function withRegistered(stage: Stage) {
	const { agent, taskId } = await withOpenTask(stage);
	const { id, upload_url } = await agent.call("createSubmission", { params: { id: taskId } });
	return { agent, taskId, id, upload: atSignedUrl(upload_url, { rawBody: goodZipWith() }) };
}

async function withUploaded(stage: Stage) {
	const registered = await withRegistered(stage);
	await stage.enter(null).call("putArtifact", registered.upload);
	return registered;
}

async function withJudged(stage: Stage, change: Readonly<Record<string, unknown>> = {}) {
	const { poster, agent, taskId } = await withOpenTask(stage, change);
	const { id } = await agent.call("quickSubmit", { params: { id: taskId }, body: files });
	await stage.judge();
	return { poster, agent, taskId, id };
}

async function withAppeal(stage: Stage) {
	const judged = await withJudged(stage);
	await judged.agent.call("createAppeal", { params: { id: judged.id }, body: { reason: "It does that." } });
	return judged;
}

async function withQuestion(stage: Stage) {
	const { poster, agent, taskId } = await withOpenTask(stage);
	const questionId = await makeIfThere(agent, "askQuestion", { params: { id: taskId }, body: { text: "Which delimiter?" } });
	return { poster, agent, params: { id: taskId, questionId: questionId ?? "" } };
}

async function withDeal(stage: Stage) {
	const [poster, agent] = [await stage.join(), await stage.join()];
	await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-7" } });
	const { id } = await recordDeal({ poster, agent });
	return { poster, agent, params: { id } };
}

async function withPaidDeal(stage: Stage) {
	const deal = await withDeal(stage);
	await deal.agent.call("acceptDeal", deal);
	await deal.poster.call("payDeal", { ...deal, body: { payment_reference: "invoice 7" } });
	return deal;
}

async function withWebhook(stage: Stage) {
	const agent = await stage.join();
	const { id } = await agent.call("createWebhook", { body: webhookInput() });
	return { agent, params: { id } };
}

const onWebhook: Prepare = async (stage) => {
	const { agent, params } = await withWebhook(stage);
	return by(agent, { params });
};

const webhookInput = () => ({ url: `https://${crypto.randomUUID()}.example.com/`, events: ["task.opened"] });

async function withOperator(stage: Stage) {
	const agent = await stage.join();
	await env.DB.prepare("update agents set tier = 'verified' where id = ?").bind(agent.agentId).run();
	return agent;
}

async function withToken(stage: Stage) {
	const operator = await withOperator(stage);
	return { operator, ...(await operator.call("createOperatorToken")) };
}

export async function withSession(): Promise<ReadyCall> {
	const human = await signInHuman();
	const { csrf_token } = await human.call("getSession");
	return { key: null, headers: { Cookie: `${SESSION_COOKIE}=${human.token}`, "X-CSRF-Token": csrf_token } };
}

let lastHuman = 0;

/** Returns the call of a browser that comes back from the sign-in service with a code that identifies the human. */
async function withSignIn(stage: Stage, human: number): Promise<ReadyCall> {
	const params = { provider: "github" };
	const response = await stage.enter(null).send("startSignIn", { params });
	const state = new URL(response.headers.get("Location") ?? "").searchParams.get("state") ?? "";
	const Cookie = response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
	return { key: null, params, query: { code: String(human), state }, headers: { Cookie } };
}

async function withWallet(stage: Stage) {
	const agent = await stage.join();
	await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: WALLET.address } });
	return agent;
}

async function withEntry(stage: Stage): Promise<ReadyCall> {
	const agent = await stage.join();
	const params = { key: "notes" };
	await agent.call("putWorkspaceEntry", { params, body: { value: 1 } });
	return by(agent, { params });
}

async function withWorkspaceUpload(stage: Stage) {
	const agent = await stage.join();
	const { upload_url } = await agent.call("createWorkspaceUploadUrl", { body: { path: "notes.txt" } });
	const { pathname, searchParams } = new URL(upload_url);
	const [agentId = "", uploadId = ""] = pathname.split("/").slice(-2);
	const upload = { params: { agentId, uploadId }, query: Object.fromEntries(searchParams), rawBody: "text" };
	return { agent, upload };
}

const storedFile = { path: "notes.txt", content_base64: btoa("text") };

/** The keys are operationIds. Words after an operationId distinguish several requests for one operation. */
const CALLS: Readonly<Record<string, Prepare>> = {
	echoChallenge: async () => ({ key: null, body: { event: "webhook.test", challenge: "0".repeat(32) } }),
	registerAnonymous: async () => ({ key: null, body: { display_name: "Ada" } }),
	updateProfile: async (stage) =>
		by(await stage.join(), { body: { display_name: "Grace", bio: "Builds.", specialization_tags: ["a", "b"] } }),
	openSession: async (stage) => by(await stage.join()),
	createApiKey: async (stage) => by(await stage.join(), { body: { name: "second" } }),
	revokeApiKey: async (stage) => {
		const agent = await stage.join();
		const { id } = await agent.call("createApiKey");
		return by(agent, { query: { id } });
	},
	updateWallet: async (stage) => by(await stage.join(), { body: { payout_method: "coinbase_commerce", payout_address: "account-7" } }),
	createWalletChallenge: async (stage) => by(await withWallet(stage)),
	signWalletChallenge: async (stage) => {
		const agent = await withWallet(stage);
		const { message, ...challenge } = await agent.call("createWalletChallenge");
		return by(agent, { body: { ...challenge, signature: await WALLET.signMessage({ message }) } });
	},
	createOperatorToken: async (stage) => by(await withOperator(stage)),
	mintChildKey: async (stage) => ({ key: (await withToken(stage)).operator_token, body: { display_name: "Child" } }),
	revokeOperatorToken: async (stage) => {
		const { operator, id } = await withToken(stage);
		return by(operator, { params: { id } });
	},
	finishSignIn: (stage) => {
		lastHuman += 1;
		return withSignIn(stage, lastHuman);
	},
	"finishSignIn of a known human": async (stage) => {
		lastHuman += 1;
		const human = lastHuman;
		await stage.enter(null).send("finishSignIn", await withSignIn(stage, human));
		return withSignIn(stage, human);
	},
	signOut: () => withSession(),
	createPasskeyOptions: async (stage) => by(await stage.join()),
	addPasskey: async (stage) => {
		const agent = await stage.join();
		return by(agent, { body: { ...(await makePasskey(stage.enter(agent.key), new Authenticator())), name: "Laptop" } });
	},
	removePasskey: async (stage) => {
		const agent = await stage.join();
		return by(agent, { params: { id: (await addPasskey(agent)).passkey.id } });
	},
	createPasskeySignInOptions: async () => ({ key: null }),
	openPasskeySession: async (stage) => {
		const { authenticator } = await addPasskey(await stage.join());
		return { key: null, body: await signWith(authenticator, {}, stage.enter(null)) };
	},
	claimAgent: async (stage) => ({ ...(await withSession()), body: { api_key: (await stage.join()).key } }),

	createTask: async (stage) => by(await stage.join(), { body: taskInput({ category: "parsing", deadline: DEADLINE }) }),
	updateTask: onDraft(() => ({ body: { title: "Parse JSON files" } })),
	deleteTask: onDraft(),
	cloneTask: onDraft(),
	extendTask: async (stage) => {
		const { poster, taskId } = await withOpenTask(stage);
		return by(poster, { params: { id: taskId }, body: { deadline: LATER_DEADLINE } });
	},
	replaceRubric: onDraft(() => ({ body: { criteria: [{ name: "All", weight: 100 }] } })),
	lintTask: onDraft(),
	compileRubric: onDraft(),
	uploadTestSuite: onDraft(() => ({ rawBody: testSuiteForm() })),
	publishTask: onDraft(),
	closeTask: async (stage) => {
		const { poster, taskId } = await withJudged(stage);
		return by(poster, { params: { id: taskId } });
	},
	joinTask: async (stage) => {
		const { agent, taskId, code } = await withInvitedTask(stage);
		return by(agent, { params: { id: taskId }, body: { invite_code: code } });
	},
	advanceClock: async (stage) => {
		const poster = await stage.join();
		const { id } = await poster.call("createTask", { body: taskInput({ test: true }) });
		await poster.call("publishTask", { params: { id } });
		return by(poster, { params: { id }, body: { advance_seconds: 60 } });
	},
	removeCompetitor: async (stage) => {
		const { poster, agent, taskId, code } = await withInvitedTask(stage);
		await agent.call("joinTask", { params: { id: taskId }, body: { invite_code: code } });
		return by(poster, { params: { id: taskId, agentId: agent.agentId } });
	},
	replaceInviteCode: async (stage) => {
		const { poster, taskId } = await withInvitedTask(stage);
		return by(poster, { params: { id: taskId } });
	},
	startDryRun: onDraft(() => ({ body: files })),
	updateDryRun: async (stage) => {
		const { poster, id } = await withDraft(stage);
		const { criteria } = await poster.call("getTask", { params: { id } });
		const expected = { [criteria[0]?.name ?? ""]: 50 };
		const run = await poster.call("startDryRun", { params: { id }, body: { ...files, expected } });
		return by(poster, { params: { id: run.id }, body: { reference: true } });
	},
	addAttachment: onDraft(() => ({ rawBody: attachmentForm() })),
	deleteAttachment: async (stage) => {
		const { poster, id } = await withDraft(stage);
		const { id: attachmentId } = await poster.call("addAttachment", { params: { id }, rawBody: attachmentForm() });
		return by(poster, { params: { id, attachmentId } });
	},

	quickSubmit: async (stage) => {
		const { agent, taskId } = await withOpenTask(stage);
		return by(agent, { params: { id: taskId }, body: files });
	},
	createSubmission: async (stage) => {
		const { agent, taskId } = await withOpenTask(stage);
		return by(agent, { params: { id: taskId } });
	},
	uploadArtifact: async (stage) => {
		const { agent, id } = await withRegistered(stage);
		const form = new FormData();
		form.set("file", new File([goodZipWith()], "work.zip", { type: "application/zip" }));
		return by(agent, { params: { id }, rawBody: form });
	},
	putArtifact: async (stage) => ({ key: null, ...(await withRegistered(stage)).upload }),
	refreshUploadUrl: async (stage) => {
		const { agent, id } = await withRegistered(stage);
		return by(agent, { params: { id } });
	},
	completeSubmission: async (stage) => {
		const { agent, id } = await withUploaded(stage);
		return by(agent, { params: { id } });
	},
	requestReEvaluation: async (stage) => {
		const { agent, id } = await withJudged(stage);
		return by(agent, { params: { id } });
	},
	checkSubmission: async (stage) => {
		const { agent, taskId } = await withOpenTask(stage);
		return by(agent, { params: { id: taskId }, body: files });
	},
	postExternalScore: async (stage) => {
		const [poster, agent] = [await stage.join(), await stage.join()];
		const { id: taskId, token } = await openExternalTask(poster);
		const { id } = await agent.call("quickSubmit", { params: { id: taskId }, body: files });
		await stage.judge();
		return { key: null, params: { id }, body: { callback_token: token, final_score: 80 } };
	},
	pickSubmission: async (stage) => {
		const { agent, taskId, id } = await withJudged(stage, { final_round: true });
		return by(agent, { params: { id: taskId }, body: { submission_id: id } });
	},

	createAppeal: async (stage) => {
		const { agent, id } = await withJudged(stage);
		return by(agent, { params: { id }, body: { reason: "It does that." } });
	},
	reviewSubmission: async (stage) => {
		const { poster, id } = await withAppeal(stage);
		return by(poster, { params: { id }, body: { decision: "changed", reason: "It does.", scores: { Tests: 100 } } });
	},
	"reviewSubmission that upholds": async (stage) => {
		const { poster, id } = await withAppeal(stage);
		return by(poster, { params: { id }, body: { decision: "upheld", reason: "It does not." } });
	},
	askQuestion: async (stage) => {
		const { agent, taskId } = await withOpenTask(stage);
		return by(agent, { params: { id: taskId }, body: { text: "Which delimiter?" } });
	},
	"askQuestion as a note": async (stage) => {
		const { poster, taskId } = await withOpenTask(stage);
		return by(poster, { params: { id: taskId }, body: { text: "The sample has a new column." } });
	},
	answerQuestion: async (stage) => {
		const { poster, params } = await withQuestion(stage);
		return by(poster, { params, body: { text: "A semicolon." } });
	},
	closeQuestions: async (stage) => {
		const { poster, taskId } = await withOpenTask(stage);
		return by(poster, { params: { id: taskId } });
	},
	deleteQuestion: async (stage) => {
		const { agent, params } = await withQuestion(stage);
		return by(agent, { params });
	},

	createDeal: async (stage) => {
		const [poster, agent] = [await stage.join(), await stage.join()];
		const taskId = await seedClosedTask({ poster, agent });
		return by(poster, { body: { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 100 } });
	},
	markInboxRead: async (stage) => by(await stage.join(), { body: { ids: ["01a23632-fd28-708d-812d-fdf887ff8508"] } }),
	acceptDeal: async (stage) => {
		const { agent, params } = await withDeal(stage);
		return by(agent, { params });
	},
	payDeal: async (stage) => {
		const deal = await withDeal(stage);
		await deal.agent.call("acceptDeal", deal);
		return by(deal.poster, { params: deal.params, body: { payment_reference: "invoice 7" } });
	},
	confirmDeal: async (stage) => {
		const { agent, params } = await withPaidDeal(stage);
		return by(agent, { params });
	},
	declineDeal: async (stage) => {
		const { agent, params } = await withDeal(stage);
		return by(agent, { params });
	},
	disputeDeal: async (stage) => {
		const { poster, params } = await withDeal(stage);
		return by(poster, { params, body: { reason: "Nothing arrived." } });
	},

	createWebhook: async (stage) => by(await stage.join(), { body: webhookInput() }),
	updateWebhook: async (stage) => {
		const { agent, params } = await withWebhook(stage);
		return by(agent, { params, body: { events: ["task.closed"] } });
	},
	deleteWebhook: onWebhook,
	testWebhook: onWebhook,
	rotateWebhookSecret: onWebhook,
	replayWebhookDelivery: async (stage) => {
		const { agent, params } = await withWebhook(stage);
		const [delivery] = await stage.deps.hubs.callSender(params.id, (sender) => sender.listDeliveries({ before: null, limit: 1 }));
		return by(agent, { params: { ...params, deliveryId: delivery?.id ?? "" } });
	},

	putWorkspaceEntry: async (stage) => by(await stage.join(), { params: { key: "notes" }, body: { value: { a: 1 } } }),
	deleteWorkspaceEntry: (stage) => withEntry(stage),
	storeWorkspaceFile: async (stage) => by(await stage.join(), { body: storedFile }),
	createWorkspaceUploadUrl: async (stage) => by(await stage.join(), { body: { path: "notes.txt" } }),
	putWorkspaceUpload: async (stage) => ({ key: null, ...(await withWorkspaceUpload(stage)).upload }),
	finalizeWorkspaceUpload: async (stage) => {
		const { agent, upload } = await withWorkspaceUpload(stage);
		await stage.enter(null).call("putWorkspaceUpload", upload);
		return by(agent, { body: { path: "notes.txt" } });
	},
	deleteWorkspaceFile: async (stage) => {
		const agent = await stage.join();
		await agent.call("storeWorkspaceFile", { body: storedFile });
		return by(agent, { params: { path: "notes.txt" } });
	},

	callMcp: async (stage) => {
		const { body, headers } = messageOf("2025-11-25", "tools/call", { name: "post_task", arguments: taskInput({ deadline: DEADLINE }) });
		return by(await stage.join(), { rawBody: JSON.stringify(body), headers: { ...headers, ...MCP_HEADERS } });
	},

	callSignedInMcp: async (stage) => {
		const { body, headers } = messageOf("2025-11-25", "tools/call", { name: "my_submissions", arguments: {} });
		return by(await stage.join(), { rawBody: JSON.stringify(body), headers: { ...headers, ...MCP_HEADERS } });
	},
	...OAUTH_CALLS,

	createReport: async (stage) => {
		const { agent, taskId } = await withOpenTask(stage);
		return by(agent, { body: { task_id: taskId, reason: "It is spam." } });
	},
	resolveReport: async (stage) => {
		const { agent, taskId } = await withOpenTask(stage);
		const { id } = await agent.call("createReport", { body: { task_id: taskId, reason: "It is spam." } });
		return asAdmin(id);
	},
	suspendAgent: async (stage) => {
		const poster = await stage.join("Poster");
		await openTask(poster, { deadline: DEADLINE });
		return asAdmin(poster.agentId);
	},
	restoreAgent: async (stage) => {
		const poster = await stage.join("Poster");
		await openTask(poster, { deadline: DEADLINE });
		await stage.enter(ADMIN_TOKEN).call("suspendAgent", { params: { id: poster.agentId }, body: because });
		return asAdmin(poster.agentId);
	},
	takeDownTask: async (stage) => asAdmin((await withOpenTask(stage)).taskId),
	restoreTask: async (stage) => {
		const { taskId } = await withOpenTask(stage);
		await stage.enter(ADMIN_TOKEN).call("takeDownTask", { params: { id: taskId }, body: because });
		return asAdmin(taskId);
	},
	restoreTaskCopy: async (stage) => {
		const { taskId } = await withJudged(stage);
		await loseTask(taskId, stage.clock.now());
		return asAdmin(taskId);
	},
	restoreWorkspaceCopy: async (stage) => {
		const agent = await stage.join();
		await stage.enter(agent.key).call("putWorkspaceEntry", { params: { key: "a" }, body: { value: 1 } });
		await loseWorkspace(agent.agentId);
		return asAdmin(agent.agentId);
	},
	voidSubmission: async (stage) => asAdmin((await withJudged(stage)).id),
	reEvaluateSubmission: async (stage) => asAdmin((await withJudged(stage)).id),
	setSwitches: async () => {
		await env.DB.prepare("delete from switches").run();
		return { key: ADMIN_TOKEN, body: { judging: { on: true, message: "" }, ...because } };
	},
	retryJob: async (stage) => {
		const { id, taskId } = await withJudged(stage);
		await changeSubmissions(taskId, "status = 'evaluation_failed', evaluated = 0, failure = 'platform'", `id = '${id}'`);
		return asAdmin(id);
	},
	retryJobs: async (stage) => {
		const { id, taskId } = await withJudged(stage);
		await changeSubmissions(taskId, "status = 'evaluation_failed', evaluated = 0, failure = 'platform'", `id = '${id}'`);
		// The ids of submissions that failed in earlier tests are smaller.
		const after = { submission_id: taskId, retried: 0, skipped: 0 };
		return { key: ADMIN_TOKEN, body: { failure: "platform", since: new Date(stage.clock.now()).toISOString(), after, ...because } };
	},
	setCeilings: async () => {
		await env.DB.prepare("delete from spend_ceilings").run();
		return { key: ADMIN_TOKEN, body: { task_usd: 1_000_000, ...because } };
	},
	testGrader: async () => ({ key: ADMIN_TOKEN, body: because }),
	testJudge: async () => ({ key: ADMIN_TOKEN, body: because }),
	rebuildSearch: async () => ({ key: ADMIN_TOKEN, body: because }),
	rebuildDirectory: async () => ({ key: ADMIN_TOKEN, body: because }),
	verifyObjects: async () => ({ key: ADMIN_TOKEN, body: because }),
	eraseAgent: async (stage) => asAdmin((await withJudged(stage)).agent.agentId),
};

const MCP_HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

/** Returns a published task with an external judge, and the token for the scores. */
async function openExternalTask(poster: RegisteredClient) {
	const { id, eval_callback_token: token } = await createDraft(poster, {
		deadline: DEADLINE,
		eval_callback_url: "https://judge.example.com/evaluate",
	});
	await poster.call("publishTask", { params: { id } });
	return { id, token };
}

/** Calls to endpoints that accept an `Idempotency-Key`, but without one. */
export const REPEATABLE_CALLS: Readonly<Record<string, Prepare>> = Object.fromEntries(
	endpoints.flatMap(({ operationId, idempotent }) => {
		const prepare = CALLS[operationId];
		return idempotent === undefined || prepare === undefined ? [] : [[operationId, prepare]];
	}),
);

const WITH_KEY = Object.entries(REPEATABLE_CALLS).map(([name, prepare]): [string, Prepare] => [
	`${name} with an idempotency key`,
	async (stage) => {
		const call = await prepare(stage);
		return { ...call, headers: { ...call.headers, "Idempotency-Key": "once" } };
	},
]);

export const WRITE_CALLS: Readonly<Record<string, Prepare>> = { ...CALLS, ...Object.fromEntries(WITH_KEY) };
