// Generates shell completions from the commands themselves.
import type { Command, Option } from "commander";
import { argument, type Run } from "./define.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SHELLS;

/** A command with the words that can follow it. */
interface Entry {
	/** The words of the command, such as "deal record". Empty for `bounty` itself. */
	readonly path: string;
	readonly description: string;
	readonly commands: readonly string[];
	readonly options: readonly string[];
}

export function addCompletionCommand(program: Command, run: Run): void {
	run(program.command("completion <shell>"), "Print a completion script for bash, zsh or fish", async (ctx, given) => {
		const shell = argument(given, 0);
		if (!isShell(shell)) program.error(`error: completions exist only for ${Object.keys(SHELLS).join(", ")}.`);
		const script = SHELLS[shell](listEntries(program));
		ctx.terminal.result({ shell, script }, () => script);
	});
}

function isShell(text: string): text is Shell {
	return Object.hasOwn(SHELLS, text);
}

function listEntries(command: Command, path = ""): Entry[] {
	const { commands } = command;
	const options = command.options.flatMap(({ long, hidden }: Option) => (long === undefined || hidden ? [] : [long]));
	const own = { path, description: command.description(), commands: commands.map((each) => each.name()), options: [...options, "--help"] };
	return [own, ...commands.flatMap((each) => listEntries(each, `${path} ${each.name()}`.trim()))];
}

function globalOptions(entries: readonly Entry[]): readonly string[] {
	return entries[0]?.options ?? [];
}

function wordsOf(entry: Entry, entries: readonly Entry[]): string {
	return [...new Set([...entry.commands, ...entry.options, ...globalOptions(entries)])].join(" ");
}

/** Returns a `case` of the shell with the words that can follow each command. */
function casesOf(entries: readonly Entry[]): string {
	return entries.map((entry) => `    "${entry.path}") words="${wordsOf(entry, entries)}" ;;`).join("\n");
}

/** Returns shell code that visits the words before the cursor and keeps those that name a command. */
function walk(entries: readonly Entry[], words: string): string {
	const paths = entries.map(({ path }) => `"${path}"`).join("|");
	return `  for word in ${words}; do
    case "\${path:+$path }$word" in ${paths}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${casesOf(entries)}
  esac`;
}

function bashScript(entries: readonly Entry[]): string {
	return `# bounty completion for bash. Use it with: eval "$(bounty completion bash)"
_bounty() {
  local path="" word words=""
${walk(entries, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _bounty bounty`;
}

function zshScript(entries: readonly Entry[]): string {
	return `#compdef bounty
# bounty completion for zsh. Use it with: eval "$(bounty completion zsh)"
_bounty() {
  local path_so_far="" word candidates=""
${walk(entries, `"\${words[@]:1:$((CURRENT-2))}"`).replaceAll("$path", "$path_so_far").replaceAll("path=", "path_so_far=").replaceAll("{path:", "{path_so_far:").replaceAll(" words=", " candidates=")}
  compadd -- \${=candidates}
  _files
}
compdef _bounty bounty`;
}

function fishScript(entries: readonly Entry[]): string {
	const lines = entries.flatMap((entry) => {
		const parts = entry.path.split(" ").filter(Boolean);
		const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`);
		const isTop = entry.commands.length > 0 && parts.length === 0;
		const condition = isTop
			? "__fish_use_subcommand"
			: [...seen, ...(entry.commands.length > 0 ? [`not __fish_seen_subcommand_from ${entry.commands.join(" ")}`] : [])].join("; and ");
		const commands = entry.commands.map((name) => {
			const description = entries.find(({ path }) => path === [...parts, name].join(" "))?.description ?? "";
			return `complete -c bounty -f -n "${condition}" -a ${name} -d '${description.replaceAll("'", "")}'`;
		});
		const options = entry.options.map(
			(option) => `complete -c bounty ${parts.length === 0 ? "" : `-n "${seen.join("; and ")}" `}-l ${option.slice(2)}`,
		);
		return [...commands, ...options];
	});
	return ["# bounty completion for fish. Use it with: bounty completion fish | source", ...lines].join("\n");
}
