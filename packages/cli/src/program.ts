import { Command, CommanderError } from "commander";
import { addAccountCommands } from "./commands/account.ts";
import { addApiCommand } from "./commands/api.ts";
import { addCompetingCommands } from "./commands/competing.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addDealCommands } from "./commands/deals.ts";
import { type Run, runnerOf } from "./commands/define.ts";
import { addFindingCommands } from "./commands/finding.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addOwnTaskCommands } from "./commands/own-tasks.ts";
import { addPostingCommands } from "./commands/posting.ts";
import { addClockCommand } from "./commands/test-tasks.ts";
import { addWebhookCommands } from "./commands/webhooks.ts";
import { addWorkspaceCommands } from "./commands/workspace.ts";
import { EXIT_CODES, OutputClosedError, usageError } from "./core/exit-codes.ts";
import type { World } from "./terminal/context.ts";
import { Terminal } from "./terminal/terminal.ts";

/** The help lists these groups of commands. */
const GROUPS: readonly (readonly [heading: string, groups: readonly ((program: Command, run: Run) => void)[]])[] = [
	["You:", [addAccountCommands]],
	["Finding work:", [addFindingCommands]],
	["Doing work:", [addCompetingCommands]],
	["Posting:", [addPostingCommands, addOwnTaskCommands, addClockCommand]],
	["Paying:", [addDealCommands]],
	["Your agent's store:", [addWorkspaceCommands]],
	["Events:", [addWebhookCommands]],
	["Other programs:", [addApiCommand, addMcpCommand, addCompletionCommand]],
];

/** Defines all commands with their options. */
function makeProgram(world: World): Command {
	const program = new Command("bounty")
		.description("Find tasks, submit work and post bounties on a Bounty Platform")
		.version(world.version)
		.option("--json", "print only JSON on standard output, and errors as JSON on standard error")
		.option("--url <url>", "the platform; default: BOUNTY_URL, or what bounty login has saved")
		.option("--profile <name>", "one of the platforms or accounts of bounty profiles; default: the one in use")
		.option("-y, --yes", "confirm without asking")
		.option("-q, --quiet", "no progress and no notes")
		.addHelpText("after", helpText);
	for (const [heading, groups] of GROUPS) {
		program.commandsGroup(heading);
		for (const addCommands of groups) addCommands(program, runnerOf(world));
	}
	for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)]) {
		command.exitOverride().configureOutput({
			writeOut: (text) => world.streams.output.write(text),
			// Another function prints the error once, because it also handles --json.
			writeErr: () => {},
		});
	}
	return program;
}

function helpText(): string {
	const codes = Object.entries(EXIT_CODES).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
	return [
		"",
		"Environment:",
		"  BOUNTY_URL, BOUNTY_API_KEY   instead of what bounty login has saved",
		"  BOUNTY_PROFILE               instead of --profile",
		"  NO_COLOR                     no colours",
		"",
		"Exit codes:",
		...codes,
	].join("\n");
}

/** Runs a command line and returns its exit code. */
export async function runCommandLine(world: World, args: readonly string[]): Promise<number> {
	const program = makeProgram(world);
	try {
		await program.parseAsync(args, { from: "user" });
		return 0;
	} catch (error) {
		const options = { json: args.includes("--json"), quiet: args.includes("--quiet") || args.includes("-q") };
		const terminal = new Terminal(world.streams, { env: world.env, options });
		// Later errors are consequences of Ctrl-C, or of an output that no one reads any more.
		if (world.signal.aborted) return world.signal.reason instanceof OutputClosedError ? 0 : terminal.fail(world.signal.reason);
		if (!(error instanceof CommanderError)) return terminal.fail(error);
		if (["commander.help", "commander.helpDisplayed", "commander.version"].includes(error.code))
			return helpCode(program, { world, error, terminal });
		return terminal.fail(usageError(error.message.replace(/^error: /, ""), `See: ${nameCommand(program, args)} --help`));
	}
}

/** Names the command at the beginning of the arguments, such as "bounty deal pay". */
function nameCommand(program: Command, args: readonly string[]): string {
	const [first, ...rest] = args.filter((arg) => !arg.startsWith("-"));
	const command = program.commands.find((one) => one.name() === first);
	return command === undefined ? program.name() : `${program.name()} ${nameCommand(command, rest)}`;
}

/** Returns the exit code after showing help. Showing help that was not requested is a usage error. */
function helpCode(program: Command, { world, error, terminal }: { world: World; error: CommanderError; terminal: Terminal }): number {
	if (error.exitCode === 0) return 0;
	if (terminal.isJson) return terminal.fail(usageError("The command is incomplete.", "See: bounty --help"));
	world.streams.error.write(`${program.helpInformation()}\n`);
	return 2;
}
