// Runs the GitHub Action as a runner does: its committed bundle, with the inputs of action.yml as environment variables. Its source can run
// in this process instead, which is faster.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { runAction as runActionInside } from "../../packages/action/src/run.ts";
import { runCommandLine } from "./commands.ts";
import { PROJECT_ROOT } from "./samples.ts";

const manifest = z.object({
	inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
	outputs: z.record(z.string(), z.unknown()),
	runs: z.object({ using: z.literal("node24"), main: z.string() }),
});

interface Run {
	readonly workspace: string;
	readonly inputs: Readonly<Record<string, string>>;
	readonly env?: Readonly<Record<string, string>>;
	/** If true, the Action's source runs in this process. */
	readonly isInside?: boolean;
}

interface ActionResult {
	readonly code: number | null;
	readonly log: string;
	readonly outputs: Readonly<Record<string, string>>;
	readonly summary: string;
}

export async function runAction({ workspace, inputs, env = {}, isInside = false }: Run): Promise<ActionResult> {
	const { inputs: known, outputs: promised, runs } = manifest.parse(parse(await readFile(join(PROJECT_ROOT, "action.yml"), "utf8")));
	const unknown = Object.keys(inputs).filter((name) => !Object.hasOwn(known, name));
	if (unknown.length > 0) throw new Error(`action.yml has no ${unknown.join(", ")}.`);
	const folder = await mkdtemp(join(tmpdir(), "action-"));
	try {
		const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
		for (const path of Object.values(files)) await writeFile(path, "");
		const given = Object.entries(known).map(([name, each]) => [`INPUT_${name.toUpperCase()}`, inputs[name] ?? each.default ?? ""]);
		const variables = {
			GITHUB_WORKSPACE: workspace,
			GITHUB_REPOSITORY: "ada/work",
			HOME: folder,
			...files,
			...Object.fromEntries(given),
			...env,
		};
		const { code, log } = await (isInside
			? runSource(variables)
			: runBundle(join(PROJECT_ROOT, runs.main), { cwd: workspace, env: variables }));
		const lines = (await readFile(files.GITHUB_OUTPUT, "utf8")).trim().split("\n");
		const outputs = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
		const missing = Object.keys(promised).filter((name) => !Object.hasOwn(outputs, name));
		if (missing.length > 0) throw new Error(`The Action did not write ${missing.join(", ")}: ${log}`);
		return { code, log, outputs, summary: await readFile(files.GITHUB_STEP_SUMMARY, "utf8") };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function runBundle(main: string, options: { cwd: string; env: Record<string, string> }) {
	const { code, stdout, stderr } = await runCommandLine([process.execPath, main], options);
	return { code, log: stdout + stderr };
}

async function runSource(env: Readonly<Record<string, string>>) {
	const parts: string[] = [];
	const code = await runActionInside(env, { version: "0.0.0", write: (text) => parts.push(text) });
	return { code, log: parts.join("") };
}
