// The platform suggests requests. A person at a terminal needs the commands that send them.
import { OPERATIONS, type OperationId } from "../core/sdk.ts";

/** The command that sends each operation; `{name}` is a value of the path. `bounty api` sends the other operations. */
const COMMANDS: Readonly<Partial<Record<OperationId, string>>> = {
	registerAnonymous: "bounty login --register",
	whoAmI: "bounty whoami",
	listApiKeys: "bounty keys",
	listTasks: "bounty tasks",
	listPublicTasks: "bounty tasks",
	searchTasks: "bounty search <words>",
	getTask: "bounty task {id}",
	joinTask: "bounty join {id} <code>",
	checkSubmission: "bounty check --task {id}",
	quickSubmit: "bounty submit --task {id}",
	createSubmission: "bounty submit --task {id}",
	completeSubmission: "bounty submit --resume {id}",
	getSubmission: "bounty results {id}",
	getSubmissionDetails: "bounty results {id}",
	streamSubmission: "bounty watch {id}",
	listSubmissions: "bounty results",
	getLeaderboard: "bounty leaderboard {id}",
	pickSubmission: "bounty pick {id} <submission>",
	listTaskSubmissions: "bounty review {id}",
	listSubmissionFiles: "bounty files {id}",
	extendTask: "bounty extend {id} <deadline>",
	closeTask: "bounty close {id}",
	cloneTask: "bounty clone {id}",
	deleteTask: "bounty delete {id}",
	exportTask: "bounty export {id}",
	listDeals: "bounty deal list",
	getDeal: "bounty deal show {id}",
	createDeal: "bounty deal record <task> <agent> --value <cents>",
	acceptDeal: "bounty deal accept {id}",
	declineDeal: "bounty deal decline {id}",
	payDeal: "bounty deal pay {id} --reference <reference>",
	confirmDeal: "bounty deal confirm {id}",
	disputeDeal: "bounty deal dispute {id} --reason <reason>",
	getWallet: "bounty wallet",
	updateWallet: "bounty wallet set --method <method>",
	createWalletChallenge: "bounty wallet challenge",
	listWebhooks: "bounty webhooks",
	createWebhook: "bounty webhooks create <url> --event <name>",
	listDocs: "bounty docs",
	getDocsPage: "bounty docs read {slug}",
	searchDocs: "bounty docs search <words>",
};

/** Returns the command for a request that the platform suggests, or null if no operation of this version fits. */
export function commandFor(method: string, href: string): string | null {
	const path = URL.canParse(href) ? new URL(href).pathname : (href.split(/[?#]/, 1)[0] ?? "");
	for (const [id, operation] of Object.entries(OPERATIONS)) {
		const values = operation.method === method.toUpperCase() ? matchPath(operation.path, path) : null;
		if (values === null || !isOperation(id)) continue;
		const command = COMMANDS[id];
		if (command !== undefined) return command.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `<${name}>`);
		const given = Object.entries(values).map(([name, value]) => ` ${name}=${value}`);
		return `bounty api ${id}${given.join("")}`;
	}
	return null;
}

function isOperation(id: string): id is OperationId {
	return Object.hasOwn(OPERATIONS, id);
}

/** Returns the values of a path's placeholders, or null for another path. Each value must be one plain word for a shell. */
function matchPath(template: string, path: string): Record<string, string> | null {
	const names = template.split("/");
	const parts = path.split("/");
	if (names.length !== parts.length) return null;
	const values: Record<string, string> = {};
	for (const [index, name] of names.entries()) {
		const part = parts[index] ?? "";
		const placeholder = /^\{(\w+)\}$/.exec(name)?.[1];
		if (placeholder === undefined ? name !== part : !/^[\w.-]{1,100}$/.test(part)) return null;
		if (placeholder !== undefined) values[placeholder] = part;
	}
	return values;
}
