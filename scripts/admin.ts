// npm run admin -- <command> does what only an operator may do, on this machine or, with --remote, in the deployment.
import { parseArgs } from "node:util";
import type { AdminCommand } from "./admin/command.ts";
import { remoteDatabase } from "./admin/query-database.ts";
import { sendToPlatform } from "./admin/send.ts";
import { setTier } from "./admin/set-tier.ts";
import { type AdminRequest, VERBS } from "./admin/verbs.ts";
import { replayWithdrawals, saveWithdrawals } from "./admin/withdrawals.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { DEFAULT_STATE_DIR, readPlace } from "./support/platform.ts";

/** These commands work on the database itself. */
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
		},
	});
	const [name, ...args] = positionals;
	if (name === undefined || values.help) {
		console.log(usage());
		return;
	}
	const isRemote = values.remote === true;
	if (values.env !== undefined && !isRemote) throw new CommandError("--env is for deployments. Add --remote.");
	const send = (request: AdminRequest) => sendToPlatform(request, { isRemote, url: values.url, environment: values.env ?? null });
	const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
	if (verb !== undefined) {
		console.log(await send(verb.request(args, values)));
		return;
	}
	const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (command === undefined) throw new CommandError(`There is no command ${JSON.stringify(name)}.\n\n${usage()}`);
	const database = isRemote ? remoteDatabase(values.env ?? null) : { stateDir: readPlace().stateDir };
	console.log(await command.run(args, { database, send }));
});

function usage(): string {
	const lines = Object.entries({ ...COMMANDS, ...VERBS }).map(
		([name, { usage: args, summary }]) => `  npm run admin -- ${`${name} ${args}`.trim()}\n      ${summary}`,
	);
	return `Commands:\n\n${lines.join("\n\n")}

They change the local database in STATE_DIR (${DEFAULT_STATE_DIR}). With ADMIN_TOKEN they ask the platform at HOST and PORT instead, and with --remote the deployment at PUBLIC_URL. --env names an environment of wrangler.toml, whose PUBLIC_URL is used if it is not in your environment. set-tier and save-withdrawals need no token.`;
}
