// npm run admin -- <command> does what only an operator may do, on this machine or, with --remote, in the deployment.
import { parseArgs } from "node:util";
import type { AdminCommand } from "./admin/command.ts";
import { sendToPlatform } from "./admin/send.ts";
import { setTier } from "./admin/set-tier.ts";
import { type AdminRequest, VERBS, type Verb, type VerbOptions } from "./admin/verbs.ts";
import { replayWithdrawals, saveWithdrawals } from "./admin/withdrawals.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { DEFAULT_STATE_DIR, readPlace } from "./support/platform.ts";

/** Commands that work directly on the database. */
const COMMANDS: Readonly<Record<string, AdminCommand>> = {
	"set-tier": setTier,
	"save-withdrawals": saveWithdrawals,
	"replay-withdrawals": replayWithdrawals,
};

const text = { type: "string" } as const;

await runCommand(async () => {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: {
			remote: { type: "boolean" },
			help: { type: "boolean" },
			env: { type: "string", short: "e" },
			url: text,
			reason: text,
			message: text,
			state: text,
			limit: text,
			cursor: text,
			table: text,
			offset: text,
			failure: text,
			since: text,
			from: text,
		},
	});
	const isHelp = positionals[0] === "help" || values.help === true;
	const [name, ...args] = positionals[0] === "help" ? positionals.slice(1) : positionals;
	if (name === undefined) return console.log(listCommands());
	const usage = usageOf(name);
	if (isHelp) return console.log(usage);
	const isRemote = values.remote === true;
	if (values.env !== undefined && !isRemote) throw new CommandError("--env is for deployments. Add --remote.");
	const send = (request: AdminRequest) => sendToPlatform(request, { isRemote, url: values.url, environment: values.env ?? null });
	const verb = VERBS[name];
	if (verb !== undefined) return console.log(await send(requestOf(verb, { args, values, usage })));
	const database = isRemote ? { environment: values.env ?? null } : { stateDir: readPlace().stateDir };
	console.log(await COMMANDS[name]?.run(args, { database, send }));
});

/** Adds the command's own usage to an error about its arguments. */
function requestOf(
	verb: Verb,
	{ args, values, usage }: { readonly args: readonly string[]; readonly values: VerbOptions; readonly usage: string },
): AdminRequest {
	try {
		return verb.request(args, values);
	} catch (error) {
		throw error instanceof CommandError ? new CommandError(`${error.message}\n\n${usage}`) : error;
	}
}

/** Returns the usage of a command. @throws CommandError if there is no such command. */
function usageOf(name: string): string {
	const all = { ...COMMANDS, ...VERBS };
	const found = Object.hasOwn(all, name) ? all[name] : undefined;
	if (found === undefined) throw new CommandError(`There is no command ${JSON.stringify(name)}. "npm run admin" lists all.`);
	return `  npm run admin -- ${`${name} ${found.usage}`.trim()}\n      ${found.summary}`;
}

function listCommands(): string {
	const lines = Object.keys({ ...COMMANDS, ...VERBS }).map(usageOf);
	return `Commands:\n\n${lines.join("\n\n")}

They change the local database in STATE_DIR (${DEFAULT_STATE_DIR}). With ADMIN_TOKEN, they use the platform at HOST and PORT instead, and with --remote the deployment at PUBLIC_URL. --env names an environment of wrangler.toml, whose PUBLIC_URL is used if it is not in your environment. set-tier and save-withdrawals need no token.`;
}
