// Provides one user of the command line on this machine, with a configuration of its own.
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { runCli } from "./cli.ts";
import { runCommandLine } from "./commands.ts";
import { randomAddress } from "./http.ts";

interface Settings {
	readonly folder: string;
	readonly url: string;
	/** The arguments that start the command. Null runs it in this process, where paths must be absolute. */
	readonly command: readonly [string, ...string[]] | null;
}

interface CommandEnd {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export class CliUser {
	readonly folder: string;
	readonly #command: Settings["command"];
	readonly #url: string;

	constructor({ folder, url, command }: Settings) {
		this.folder = folder;
		this.#command = command;
		this.#url = url;
	}

	get env() {
		return { XDG_CONFIG_HOME: this.path("config"), BOUNTY_URL: this.#url, CALLER_IP: randomAddress() };
	}

	/** The arguments that start the command, for runs with a terminal or with signals. */
	get command(): readonly [string, ...string[]] {
		if (this.#command === null) throw new TypeError("This user's commands are no processes.");
		return this.#command;
	}

	path(name: string): string {
		return join(this.folder, name);
	}

	/** Registers an agent, whose key only this user can read. */
	async enrol(name: string): Promise<this> {
		await mkdir(this.folder, { recursive: true });
		const { config_path: path } = await this.json(["login", "--register", "--name", name]);
		expect(path).toBe(this.path("config/bounty/profiles/default.json"));
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		return this;
	}

	async run(...args: readonly string[]): Promise<CommandEnd> {
		if (this.#command === null) return runCli(args, { env: this.env });
		return runCommandLine([...this.#command, ...args], { cwd: this.folder, env: this.env });
	}

	/** Returns the JSON that a command prints. The command must succeed, unless another exit code is expected. */
	async json(args: readonly string[], expected = 0) {
		const { code, stdout, stderr } = await this.run(...args, "--json");
		if (code !== expected) throw new Error(`bounty ${args.join(" ")} ended with ${code} instead of ${expected}:\n${stdout}${stderr}`);
		return JSON.parse(stdout);
	}

	/** Returns the error, as JSON, of a command that must fail with this exit code. Standard output must stay empty. */
	async failure(args: readonly string[], expected: number) {
		const { code, stdout, stderr } = await this.run(...args, "--json");
		expect({ args, code, stdout }).toEqual({ args, code: expected, stdout: "" });
		const { error } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
		expect(error.exit_code).toBe(expected);
		return error;
	}
}
