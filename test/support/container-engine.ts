// Provides a container engine for tests, images made from a shell script without any registry, and a grader that runs them.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeSync } from "node:fs";
import { chmod, copyFile, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine } from "../../grader/engine/engine.ts";
import { type FoundEngine, findEngine } from "../../grader/engine/find.ts";

const MAIN = fileURLToPath(new URL("../../grader/main.ts", import.meta.url).href);
const BUSYBOX_PLACES = ["/bin/busybox", "/usr/bin/busybox"];
const LOADER_NAME_BYTES = 4_096;
const START_TIMEOUT_MS = 180_000;

/** Why containers cannot run here, or null if they can. The titles of skipped tests show it. */
export const whyNoContainers: string | null = await findReason();

// The reporter does not print the titles of skipped tests, and hides the output of passed ones.
if (whyNoContainers !== null) writeSync(process.stderr.fd, `\nSKIPPED: tests with real containers, because ${whyNoContainers}\n`);

/** Returns the title of a suite that needs containers, with the reason if it is skipped. */
export function titled(title: string): string {
	return whyNoContainers === null ? title : `${title}, skipped: ${whyNoContainers}`;
}

async function findReason(): Promise<string | null> {
	const found = await findEngine({ command: process.env["CONTAINER_ENGINE"], runtime: undefined });
	if (!("command" in found)) return `no container engine answers (${found.reasons.join("; ")})`;
	const missing = Object.entries(found.limits).flatMap(([name, isThere]) => (isThere ? [] : [name]));
	if (missing.length > 0) return `${found.version} cannot limit ${missing.join(", ")} here`;
	if (findBusybox() === null) return "there is no statically linked busybox to make images from";
	return tryRun(found);
}

/**
 * Runs a container with the grader's confinement, which an installed engine may not be allowed to set up. Returns the reason of a failure,
 * or null.
 */
async function tryRun(found: FoundEngine): Promise<string | null> {
	const faults: unknown[] = [];
	const engine = createEngine({ found, owner: "probe", network: null, logFault: (error) => faults.push(error) });
	const folder = mkdtempSync(join(tmpdir(), "grader-probe-"));
	try {
		const images = await buildImages(found, { probe: { script: "exit 0" } });
		const { signal } = new AbortController();
		const limits = { input: "", memoryMb: 64, timeoutMs: START_TIMEOUT_MS, hasNetwork: false, kill: signal };
		const { id } = await engine.pull({ reference: images.names.probe, digest: null }, signal);
		const name = `grading-probe-${randomBytes(6).toString("hex")}`;
		await engine.run({ ...limits, name, folder, imageId: id, readOnly: [], writable: [], environment: {} }, signal);
		await images.remove();
		return null;
	} catch (error) {
		const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
		return `${found.version} runs no containers here (${String(cause).trim().split("\n").at(-1)})`;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Returns the path of a static busybox, because an image needs no other file. Returns null if there is none. */
function findBusybox(): string | null {
	// A program that needs a loader contains its name near the beginning.
	const isStatic = (path: string) => existsSync(path) && !readFileSync(path).subarray(0, LOADER_NAME_BYTES).includes("/ld-");
	return BUSYBOX_PLACES.find(isStatic) ?? null;
}

/** @throws Error if {@link whyNoContainers} is not null. */
export async function requireEngine(): Promise<FoundEngine> {
	const found = await findEngine({ command: process.env["CONTAINER_ENGINE"], runtime: undefined });
	if (!("command" in found)) throw new Error(found.reasons.join("; "));
	return found;
}

/** Runs the engine's command line. */
export function runEngine({ command, globalArguments }: FoundEngine, ...args: readonly string[]): string {
	const { status, stdout, stderr } = spawnSync(command, [...globalArguments, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
	if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
	return stdout;
}

export interface ImageChoices {
	/** The script that the image runs in busybox's shell. */
	readonly script: string;
	/** Dockerfile instructions, such as `USER 1000`. */
	readonly changes?: readonly string[];
	/** True if the script is itself a program. */
	readonly isExecutable?: boolean;
}

export interface TestImages<Name extends string> {
	/** Maps each image to its full name. */
	readonly names: Readonly<Record<Name, string>>;
	remove(): Promise<void>;
}

/**
 * Makes one image for each script, under names that no other test has.
 *
 * @example const images = await buildImages(engine, { good: { script: `echo '{"score": 75}' > "$SCORE_FILE"` } });
 */
export async function buildImages<Name extends string>(
	engine: FoundEngine,
	choices: Readonly<Record<Name, ImageChoices>>,
): Promise<TestImages<Name>> {
	const folder = mkdtempSync(join(tmpdir(), "grader-images-"));
	const repository = `localhost/bounty-test-${randomBytes(6).toString("hex")}`;
	const names: Record<string, string> = {};
	try {
		await makeRoot(folder);
		for (const [name, image] of Object.entries<ImageChoices>(choices)) {
			await writeFile(join(folder, "grade.sh"), image.script);
			await chmod(join(folder, "grade.sh"), image.isExecutable === true ? 0o755 : 0o644);
			names[name] = `${repository}/${name.toLowerCase()}:1`;
			const changes = ['ENTRYPOINT ["/bin/sh", "/grade.sh"]', "ENV PATH=/bin", ...(image.changes ?? [])];
			importFolder(engine, folder, [...changes.flatMap((change) => ["--change", change]), "-", names[name]]);
		}
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
	return {
		names: names as Record<Name, string>,
		async remove() {
			runEngine(engine, "rmi", "--force", ...Object.values(names));
		},
	};
}

async function makeRoot(folder: string): Promise<void> {
	const busybox = findBusybox();
	if (busybox === null) throw new Error("There is no statically linked busybox.");
	for (const name of ["bin", "data", "etc", "root"]) await mkdir(join(folder, name));
	await copyFile(busybox, join(folder, "bin", "busybox"));
	const { stdout } = spawnSync(busybox, ["--list"], { encoding: "utf8" });
	for (const applet of stdout.split("\n").filter((name) => name !== "" && name !== "busybox")) {
		await symlink("busybox", join(folder, "bin", applet));
	}
}

function importFolder(engine: FoundEngine, folder: string, args: readonly string[]): void {
	const tar = spawnSync("tar", ["--create", "--directory", folder, "."], { maxBuffer: 1 << 28 });
	const { status, stderr } = spawnSync(engine.command, [...engine.globalArguments, "import", ...args], {
		input: tar.stdout,
		encoding: "utf8",
	});
	if (status !== 0) throw new Error(`The image could not be made: ${stderr}`);
}

export interface StartedGrader {
	readonly url: string;
	readonly token: string;
	readonly process: ChildProcess;
	/** Returns the log so far. */
	log(): string;
	/** Ends the grader with a signal, and resolves with its exit code, null after SIGKILL. */
	stop(signal?: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<number | null>;
}

export interface GraderChoices {
	readonly workFolder: string;
	readonly token?: string;
	readonly env?: Readonly<Record<string, string>>;
}

/** Starts the grader as a separate process, on a free port. */
export async function startGrader({
	workFolder,
	token = randomBytes(24).toString("hex"),
	env = {},
}: GraderChoices): Promise<StartedGrader> {
	const variables = { ...process.env, GRADER_TOKEN: token, PORT: "0", WORK_FOLDER: workFolder, ...env };
	const child = spawn(process.execPath, [MAIN], { stdio: ["ignore", "pipe", "pipe"], env: variables });
	const ended = once(child, "close");
	let log = "";
	let answer = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		log += text;
	});
	const url = await new Promise<string>((resolve, reject) => {
		const timer = setTimeout(() => {
			child.kill("SIGKILL");
			reject(new Error(`The grader did not start: ${log}`));
		}, START_TIMEOUT_MS);
		child.once("close", () => reject(new Error(`The grader did not start: ${log}`)));
		child.stdout.setEncoding("utf8").on("data", (text: string) => {
			answer += text;
			if (!answer.includes("\n")) return;
			clearTimeout(timer);
			resolve(answer.trim());
		});
	});
	return {
		url,
		token,
		process: child,
		log: () => log,
		async stop(signal = "SIGTERM") {
			child.kill(signal);
			await ended;
			return child.exitCode;
		},
	};
}
