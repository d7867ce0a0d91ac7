// npm run admin -- <command>: what only an operator may change, in the local database or, with --remote, in the deployed one.
import { parseArgs } from "node:util";
import type { AdminCommand } from "./admin/command.ts";
import { setTier } from "./admin/set-tier.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { DEFAULT_STATE_DIR, readPlace } from "./support/platform.ts";

const COMMANDS: Readonly<Record<string, AdminCommand>> = { "set-tier": setTier };

await runCommand(async () => {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: { remote: { type: "boolean" }, help: { type: "boolean" } },
	});
	const [name, ...args] = positionals;
	if (name === undefined || values.help) {
		console.log(usage());
		return;
	}
	const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (command === undefined) throw new CommandError(`There is no command ${JSON.stringify(name)}.\n\n${usage()}`);
	const target = values.remote ? ["--remote", "--yes"] : ["--local", "--persist-to", readPlace().stateDir];
	console.log(await command.run(args, target));
});

function usage(): string {
	const lines = Object.entries(COMMANDS).map(
		([name, { usage: args, summary }]) => `  npm run admin -- ${name} ${args} [--remote]\n      ${summary}`,
	);
	return `Commands:\n\n${lines.join("\n\n")}\n\nThey change the local database in STATE_DIR (${DEFAULT_STATE_DIR}); with --remote the deployed one.`;
}
