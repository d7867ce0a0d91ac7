// Provides one private thing of each kind, each with text that occurs nowhere else, and says who may read that text. Also provides an open
// task whose competitors are hidden.

import { admin } from "./admin.ts";
import { type Client, createClient, isThere, makeIfThere } from "./client.ts";
import { recordDeal } from "./deals.ts";
import { registerWithTier } from "./identities.ts";
import {
	attachmentForm,
	awaitEvaluation,
	createDraft,
	GOOD_FILES,
	openTask,
	type RegisteredClient,
	registerAgent,
	submit,
} from "./scenario.ts";
import { readLog, subscribe } from "./webhooks.ts";
import { base64File, putValue } from "./workspace.ts";

/** The path of the submission's file and of the workspace's file, and the key of the workspace's entry. */
export const PATH = "own.js";

/** Each text is in one private thing. The identifier in the submission is one word, so that the judge quotes it. */
export const SECRETS = {
	title: "Heronword, a title for guests",
	description: "A description for guests",
	attachment: "An attachment for guests",
	question: "A question among guests",
	criterion: "A criterion of the final round",
	draft: "A draft of its poster",
	dryRun: "A dry run of its poster",
	work: "workOfItsAgent",
	name: "A name before the reveal",
	appeal: "An appeal to the poster",
	dispute: "A dispute about a deal",
	entry: "An entry of a workspace",
	file: "A file of a workspace",
	keyName: "A name of a key",
	wallet: "acct_of_one_agent",
	hook: "hook-of-one-agent",
	token: "A label of an operator token",
} as const;
export type Secret = keyof typeof SECRETS;

/** The operations that make the things of extensions. A platform without the operation has no such thing. */
const MADE_BY: Readonly<Partial<Record<Secret, string>>> = {
	question: "askQuestion",
	criterion: "pickSubmission",
	dryRun: "startDryRun",
	appeal: "createAppeal",
	dispute: "disputeDeal",
};

/** Returns the secrets that this platform can have. */
function onlyMade(secrets: readonly Secret[]): Secret[] {
	return secrets.filter((secret) => {
		const operation = MADE_BY[secret];
		return operation === undefined || isThere(operation);
	});
}

const OF_GUESTS: readonly Secret[] = ["title", "description", "attachment", "question"];
/** What the poster may read. The submissions are sealed, so it cannot read them, but it sees the names of competitors. */
const OF_POSTER: readonly Secret[] = [...OF_GUESTS, "criterion", "draft", "dryRun", "name", "appeal", "dispute"];
const OF_MEMBER: readonly Secret[] = [...OF_GUESTS, "work", "name", "appeal", "entry", "file", "keyName", "wallet", "hook"];

export interface Insider {
	readonly client: RegisteredClient;
	readonly may: readonly Secret[];
}

export interface PrivateScene {
	/** Agents that may each read something. */
	readonly insiders: Readonly<Record<"the poster" | "the submitter" | "a guest" | "the operator", Insider>>;
	/** Other agents of the same fleet or of the same task, which may read nothing. */
	readonly near: Readonly<Record<string, Client>>;
	/** The keys are the text before `{id}` in a path, or the name of a parameter. */
	readonly ids: Readonly<Record<string, string>>;
	/** Ids that replace those above in a second round. */
	readonly others: Readonly<Record<"tasks" | "submissions", string>>;
}

const at = (id: string) => ({ params: { id } });

/** Publishes a sealed task for invited agents, with a criterion that is hidden until the final round. */
async function openPrivateTask(poster: RegisteredClient) {
	const { title, description, criterion, attachment } = SECRETS;
	const withHidden = {
		final_round: true,
		criteria: [
			{ name: "Parser", description: "quotes, delimiter, newline", weight: 60 },
			{ name: "Hidden", description: criterion, weight: 40, final_only: true },
		],
	};
	const draft = await createDraft(poster, {
		...{ title, description, access: "invited", sealed: true },
		...(onlyMade(["criterion"]).length > 0 ? withHidden : {}),
	});
	const form = new FormData();
	form.set("field", "description");
	form.set("file", new File([attachment], `${attachment}.txt`, { type: "text/plain" }));
	const { id: attachmentId } = await poster.call("addAttachment", { ...at(draft.id), rawBody: form });
	await poster.call("publishTask", at(draft.id));
	return { taskId: draft.id, attachmentId, join: { ...at(draft.id), body: { invite_code: draft.invite_code } } };
}

/** Creates an operator with a token, and two agents of its fleet. */
async function createLabelledFleet() {
	const operator = await registerWithTier("verified", "Operator");
	const { id, operator_token } = await operator.call("createOperatorToken", { body: { label: SECRETS.token } });
	const mint = async (display_name: string) => {
		const { agent_id, api_key } = await createClient({ key: operator_token }).call("mintChildKey", { body: { display_name } });
		return { ...createClient({ key: api_key }), agentId: agent_id, key: api_key };
	};
	return { operator, tokenId: id, member: await mint(SECRETS.name), sibling: await mint("Sibling") };
}

/** Gives the submitter a workspace, a key, a wallet and a webhook. */
async function furnish(member: RegisteredClient) {
	await putValue(member, PATH, SECRETS.entry);
	await member.call("storeWorkspaceFile", base64File(PATH, SECRETS.file));
	await member.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: SECRETS.wallet } });
	const { id: keyId } = await member.call("createApiKey", { body: { name: SECRETS.keyName } });
	const { id: webhooks } = await subscribe(member, `https://receiver.example.com/${SECRETS.hook}`);
	const [delivery] = await readLog(member, webhooks);
	return { keyId, webhooks, deliveryId: delivery?.id ?? crypto.randomUUID() };
}

export async function makePrivateScene(): Promise<PrivateScene> {
	const [poster, guest, removed] = [await registerAgent("Poster"), await registerAgent("Guest"), await registerAgent("Removed")];
	const { operator, tokenId, member, sibling } = await createLabelledFleet();
	const { taskId, attachmentId, join } = await openPrivateTask(poster);
	for (const agent of [member, guest, removed]) await agent.call("joinTask", join);
	await poster.call("removeCompetitor", { params: { id: taskId, agentId: removed.agentId } });
	const question = await makeIfThere(guest, "askQuestion", { ...at(taskId), body: { text: SECRETS.question } });
	const { id: submissions } = await submit(member, taskId, { ...GOOD_FILES, [PATH]: `export function ${SECRETS.work}(parser) {}\n` });
	await awaitEvaluation(member, submissions);
	const { id: registered } = await member.call("createSubmission", at(taskId));
	await makeIfThere(member, "createAppeal", { ...at(submissions), body: { reason: SECRETS.appeal } });
	const { id: draftId } = await createDraft(poster, { title: SECRETS.draft });
	const dryRun = await makeIfThere(poster, "startDryRun", { ...at(draftId), body: { files: GOOD_FILES, label: SECRETS.dryRun } });
	const { id: deals } = await recordDeal({ poster, agent: guest });
	await makeIfThere(poster, "disputeDeal", { ...at(deals), body: { reason: SECRETS.dispute } });
	const own = await furnish(member);
	return {
		insiders: {
			"the poster": { client: poster, may: onlyMade(OF_POSTER) },
			"the submitter": { client: member, may: onlyMade(OF_MEMBER) },
			"a guest": { client: guest, may: onlyMade([...OF_GUESTS, "dispute"]) },
			"the operator": { client: operator, may: ["token"] },
		},
		near: { "another agent of the fleet": sibling, "an agent that was removed from the task": removed },
		ids: {
			...{ tasks: taskId, submissions, deals, agents: member.agentId, "operator-tokens": tokenId },
			...(dryRun === null ? {} : { "dry-runs": dryRun, trials: dryRun }),
			...(question === null ? {} : { questionId: question }),
			...{ ...own, attachmentId, agentId: member.agentId, uploadId: crypto.randomUUID() },
		},
		others: { tasks: draftId, submissions: registered },
	};
}

export interface Contest {
	readonly first: RegisteredClient;
	readonly second: RegisteredClient;
	/** The keys are the text before `{id}` in a path, or the name of a parameter. */
	readonly ids: Readonly<Record<string, string>>;
	readonly secondSubmission: string;
	/** The poster's task that is closed, and the one that an operator has taken down, if operators can do that. */
	readonly closed: string;
	readonly takenDown: string;
	/** The values that identify each agent. */
	readonly identities: Readonly<Record<"poster" | "first" | "second", readonly string[]>>;
}

export const CONTEST_NAMES = { poster: "Zebulon the poster", first: "Quentin the competitor", second: "Wilhelmina the competitor" };
export const CONTEST_WORD = "narwhals";

/** Returns the values that identify an agent. The first 16 characters of a key are its public prefix. */
const identityOf = ({ agentId, key }: RegisteredClient, ...texts: readonly string[]) => [agentId, key.slice(0, 16), key, ...texts];

/** Opens a task with two judged competitors, whose names only the poster may read before the task closes. */
export async function makeContest(): Promise<Contest & { readonly poster: RegisteredClient }> {
	const poster = await registerAgent(CONTEST_NAMES.poster);
	const [first, second] = [await registerAgent(CONTEST_NAMES.first), await registerAgent(CONTEST_NAMES.second)];
	const bio = `Seventeen ${CONTEST_WORD}`;
	await first.call("updateProfile", { body: { bio, specialization_tags: [CONTEST_WORD] } });
	const { id: tasks } = await createDraft(poster, { title: "Anonymous contest", category: CONTEST_WORD });
	const { id: attachmentId } = await poster.call("addAttachment", { ...at(tasks), rawBody: attachmentForm() });
	await poster.call("publishTask", at(tasks));
	const enter = async (agent: RegisteredClient) => {
		await makeIfThere(agent, "askQuestion", { ...at(tasks), body: { text: "Which delimiter?" } });
		const { id } = await submit(agent, tasks);
		await awaitEvaluation(agent, id);
		return id;
	};
	const [submissions, secondSubmission] = [await enter(first), await enter(second)];
	const [closed, takenDown] = [await openTask(poster), await openTask(poster)];
	await poster.call("closeTask", at(closed));
	await makeIfThere(admin, "takeDownTask", { ...at(takenDown), body: { reason: "A test." } });
	return {
		...{ poster, first, second, secondSubmission, closed, takenDown },
		ids: { tasks, submissions, attachmentId, agents: first.agentId, agentId: first.agentId },
		identities: {
			poster: identityOf(poster, CONTEST_NAMES.poster),
			first: identityOf(first, CONTEST_NAMES.first, bio),
			second: identityOf(second, CONTEST_NAMES.second),
		},
	};
}
