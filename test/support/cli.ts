// Runs the command line in three ways: inside the test, as an installed program, and in a pseudo-terminal.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { runCommandLine as runInside } from "../../packages/cli/src/program.ts";
import { VERSION } from "../../src/domain/version.ts";
import { runCommandLine } from "./commands.ts";
import { PROJECT_ROOT } from "./samples.ts";
import { npm } from "./sdk-package.ts";

export interface InsideResult {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

interface InsideOptions {
	readonly env?: Readonly<Record<string, string>>;
	readonly input?: string;
	readonly signal?: AbortSignal;
	/** True if the output is shown to a person. */
	readonly isTerminal?: boolean;
}

/** Runs a command line in this process, without a terminal for questions. */
export async function runCli(
	args: readonly string[],
	{ env = {}, input = "", signal, isTerminal = false }: InsideOptions = {},
): Promise<InsideResult> {
	const [stdin, stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: isTerminal }), new PassThrough()];
	stdin.end(input);
	const read = (stream: PassThrough) => {
		const parts: Buffer[] = [];
		stream.on("data", (part: Buffer) => parts.push(part));
		return () => Buffer.concat(parts).toString("utf8");
	};
	const [output, errors] = [read(stdout), read(stderr)];
	const world = {
		streams: { input: stdin, output: stdout, error: stderr },
		env: { XDG_CONFIG_HOME: "/nonexistent", ...env },
		signal: signal ?? new AbortController().signal,
		version: "0.0.0",
	};
	const code = await runInside(world, args);
	return { code, stdout: output(), stderr: errors() };
}

/** Returns an empty folder with the package, installed from its archive without the registry. */
export async function installCli(): Promise<{ readonly folder: string; readonly main: string; remove(): Promise<void> }> {
	const folder = await mkdtemp(join(tmpdir(), "cli-installed-"));
	await npm(PROJECT_ROOT, ["pack", "--workspace", "packages/cli", "--pack-destination", folder]);
	await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
	await npm(folder, ["install", `./bounty-platform-cli-${VERSION}.tgz`, "--offline", "--no-audit", "--no-fund"]);
	return { folder, main: join(folder, "node_modules", ".bin", "bounty"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A program that gets a command, its environment, and what to type after which output, all as JSON. */
const PTY_DRIVER = `
import fcntl, json, os, pty, select, struct, sys, termios, time
spec = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.chdir(spec["cwd"])
    os.execvpe(spec["command"][0], spec["command"], spec["env"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
output, steps, seen, end = b"", spec["steps"], 0, time.time() + 60
while time.time() < end:
    ready, _, _ = select.select([fd], [], [], 0.2)
    if ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if not data:
            break
        output += data
    if steps and steps[0][0].encode() in output[seen:]:
        seen = len(output)
        time.sleep(0.3)
        os.write(fd, steps.pop(0)[1].encode())
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "output": output.decode("utf8", "replace")}))
`;

interface PtyRun {
	readonly env: Readonly<Record<string, string>>;
	readonly cwd: string;
	/** Each step waits for an output, and then types keys. */
	readonly steps?: readonly (readonly [output: string, keys: string])[];
}

/** Runs a command in a pseudo-terminal. */
export async function runInTerminal(
	command: readonly string[],
	{ env, cwd, steps = [] }: PtyRun,
): Promise<{ code: number; output: string }> {
	const inherited = { PATH: process.env["PATH"] ?? "", HOME: cwd, TERM: "xterm-256color" };
	const spec = JSON.stringify({ command, cwd, steps, env: { ...inherited, ...env } });
	const { stdout, stderr } = await runCommandLine(["python3", "-c", PTY_DRIVER, spec]);
	if (stdout === "") throw new Error(stderr);
	return JSON.parse(stdout);
}
