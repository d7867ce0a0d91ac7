// A folder in which one client is generated, compiled and run. Dependencies from registries have exact versions and stay in a cache.

import { existsSync } from "node:fs";
import { appendFile, copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../support/command.ts";
import { type CommandResult, runCommandLine } from "../support/run-command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import versions from "./versions.json" with { type: "json" };

const CACHE = join(PROJECT_ROOT, "node_modules", ".cache", "clients");
const PROGRAMS = fileURLToPath(new URL("programs/", import.meta.url).href);
const LAST_LINES = 12;

/** Commands that must already be on the machine. */
export type Need = "java" | "mvn" | "go" | "cargo" | "python3";

/** The arguments with which each command prints its version. For Python, they also show that it can create environments. */
const ASKED: Readonly<Record<Need, readonly string[]>> = {
	java: ["-version"],
	mvn: ["-v"],
	go: ["version"],
	cargo: ["--version"],
	python3: ["-c", "import ensurepip, venv"],
};

/** Returns which of the commands the machine lacks. */
export async function findLacking(needs: readonly Need[]): Promise<Need[]> {
	const works = async (need: Need) =>
		runCommandLine([need, ...ASKED[need]]).then(
			({ code }) => code === 0,
			() => false,
		);
	const answers = await Promise.all(needs.map(async (need) => ({ need, isThere: await works(need) })));
	return answers.filter(({ isThere }) => !isThere).map(({ need }) => need);
}

interface RunOptions {
	/** Relative to the client's folder, which is the default. */
	readonly cwd?: string;
	readonly env?: Readonly<Record<string, string>>;
}

export class Workplace {
	readonly folder: string;
	readonly #name: string;

	/** Names the folder, which {@link open} empties. */
	constructor(name: string) {
		this.#name = name;
		this.folder = join(CACHE, "work", name);
	}

	async open(): Promise<void> {
		await rm(this.folder, { recursive: true, force: true });
		await mkdir(this.folder, { recursive: true });
	}

	path(...parts: readonly string[]): string {
		return join(this.folder, ...parts);
	}

	/** Copies this client's program, which plays the loop and is a folder in `programs/`. */
	async copyProgram(to: string): Promise<void> {
		await cp(join(PROGRAMS, this.#name), this.path(to), { recursive: true });
	}

	/** Copies one file of `programs/`. */
	async copyFile(program: string, to: string): Promise<void> {
		await mkdir(dirname(this.path(to)), { recursive: true });
		await copyFile(join(PROGRAMS, program), this.path(to));
	}

	async write(path: string, content: string | object): Promise<void> {
		await mkdir(dirname(this.path(path)), { recursive: true });
		await writeFile(this.path(path), typeof content === "string" ? content : JSON.stringify(content, null, "\t"));
	}

	read(path: string): Promise<string> {
		return readFile(this.path(path), "utf8");
	}

	/**
	 * Runs a command to its end and returns what it printed.
	 *
	 * @throws CommandError with the last lines of a command that failed.
	 */
	async run(command: readonly [string, ...string[]], { cwd = ".", env = {} }: RunOptions = {}): Promise<string> {
		const result = await runCommandLine(command, { cwd: this.path(cwd), env: { ...TOOL_SETTINGS, ...env } });
		await appendFile(this.path("log.txt"), `\n$ ${command.join(" ")}\n${result.stdout}${result.stderr}`);
		if (result.code !== 0) throw new CommandError(`${command.slice(0, 3).join(" ")} failed: ${lastLines(result)}`);
		return result.stdout;
	}
}

const TOOL_SETTINGS = {
	CARGO_TARGET_DIR: join(CACHE, "cargo"),
	NPM_CONFIG_UPDATE_NOTIFIER: "false",
	PIP_DISABLE_PIP_VERSION_CHECK: "1",
	GOFLAGS: "-mod=mod",
	OPENAI_AGENTS_DISABLE_TRACING: "1",
	CREWAI_DISABLE_TELEMETRY: "true",
	CREWAI_TRACING_ENABLED: "false",
	OTEL_SDK_DISABLED: "true",
};

function lastLines({ stdout, stderr }: CommandResult): string {
	return `${stdout}\n${stderr}`
		.split("\n")
		.filter((line) => line.trim() !== "")
		.slice(-LAST_LINES)
		.join("\n");
}

/** Creates a folder of the cache once. `make` fills a temporary folder, so that a failed attempt leaves nothing. */
async function once(key: string, make: (place: Workplace) => Promise<unknown>): Promise<string> {
	const folder = join(CACHE, "tools", key);
	if (existsSync(folder)) return folder;
	const place = new Workplace(`${key}.partial`);
	await place.open();
	await make(place);
	await mkdir(dirname(folder), { recursive: true });
	await rename(place.folder, folder);
	return folder;
}

const keyOf = (names: readonly string[]): string => names.join("-").replaceAll(/[^\w.-]+/g, "_");

type Registry = keyof typeof versions;

/** Returns the exact version that this project has tested. */
export function versionOf<R extends Registry>(registry: R, name: keyof (typeof versions)[R] & string): string {
	return String(versions[registry][name]);
}

/** Downloads a jar with Maven and returns its path. */
export async function mavenJar(name: keyof (typeof versions)["maven"]): Promise<string> {
	const artifact = `${name}:${versionOf("maven", name)}`;
	const folder = await once(keyOf([artifact]), (place) =>
		place.run(["mvn", "-q", "-B", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${place.folder}`]),
	);
	const jar = (await readdir(folder)).find((file) => file.endsWith(".jar"));
	if (jar === undefined) throw new CommandError(`Maven left no jar of ${artifact}.`);
	return join(folder, jar);
}

/** Installs npm packages and returns the folder with `node_modules`. */
export async function npmFolder(names: readonly (keyof (typeof versions)["npm"])[]): Promise<string> {
	const wanted = names.map((name) => `${name}@${versionOf("npm", name)}`);
	return once(keyOf(["npm", ...wanted]), async (place) => {
		await place.write("package.json", { private: true, type: "module" });
		await place.run(["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", ...wanted]);
	});
}

/** The name of a Python package with its extras, such as `pydantic-ai-slim[openai]`. */
export interface PythonPackage {
	readonly name: keyof (typeof versions)["pypi"];
	readonly extras?: string;
}

/** Installs packages in an environment of their own and returns the path of its Python. */
export async function pythonWith(packages: readonly PythonPackage[], others: readonly string[] = []): Promise<string> {
	const wanted = packages.map(({ name, extras = "" }) => `${name}${extras}==${versionOf("pypi", name)}`);
	// An environment cannot be moved, so it is created in its final place, and a file records that it is complete.
	const folder = join(CACHE, "tools", keyOf(["python", ...wanted, ...others]));
	const python = join(folder, "bin", "python");
	if (existsSync(join(folder, "complete"))) return python;
	await rm(folder, { recursive: true, force: true });
	const place = new Workplace("python.partial");
	await place.open();
	await place.run(["python3", "-m", "venv", folder]);
	await place.run([python, "-m", "pip", "install", "--quiet", ...wanted, ...others]);
	await writeFile(join(folder, "complete"), "");
	return python;
}

/** Builds a command of a Go module and returns its path. */
export async function goCommand(module: keyof (typeof versions)["go"], command: string): Promise<string> {
	const version = versionOf("go", module);
	const folder = await once(keyOf([module, version]), (place) =>
		place.run(["go", "install", `${module}/${command}@${version}`], { env: { GOBIN: place.folder } }),
	);
	return join(folder, command.split("/").at(-1) ?? "");
}

/** Joins paths in the form of `java -cp`. */
export function classPath(...paths: readonly string[]): string {
	return paths.map((path) => path.trim()).join(delimiter);
}
