// Generates one client, compiles it and plays the loop with it, twice.
import * as z from "zod";
import { CommandError } from "../support/command.ts";
import type { Client } from "./client.ts";
import { startForwarder } from "./forwarder.ts";
import { type Framework, playFramework } from "./frameworks.ts";
import type { Result } from "./results.ts";
import { assertArrived, assertEqual, describeFiles, LARGEST_BUDGET_CENTS } from "./scene.ts";
import { findLacking, type Need, Workplace } from "./workplace.ts";

/** The note that every program writes. */
const NOTE = "last";

/** The form of a program's last line, which says what the program has seen. */
const report = z.object({
	key: z.string(),
	task_id: z.string(),
	budget_cents: z.number(),
	ok: z.boolean(),
	submission_id: z.string(),
	rank: z.number().min(1),
	webhooks: z.number(),
	code: z.string(),
});

interface Stage {
	readonly url: string;
	readonly taskId: string;
}

/**
 * Generates, compiles and plays a client. A failure becomes part of the result, and is never thrown. The result is null if the machine
 * lacks something.
 */
export function playClient(client: Client, stage: Stage): Promise<Result | null> {
	return attempt({ ...client, kind: "generator" }, async (place, isAt) => {
		isAt("made");
		await client.generate(place, stage.url);
		isAt("compiled");
		await client.compile(place);
		for (const isGrowing of [false, true]) {
			isAt(isGrowing ? "played with a field more in every object" : "played");
			await playOnce(client, place, { ...stage, isGrowing });
		}
	});
}

/** Installs a framework and plays it in each of its modes. */
export function playAgent(framework: Framework, { url }: Pick<Stage, "url">): Promise<Result | null> {
	const options = framework.modes.join(", ");
	return attempt({ ...framework, options, kind: "framework" }, async (place, isAt) => {
		isAt("installed");
		const command = await framework.install(place);
		for (const mode of framework.modes) {
			isAt(`played with ${mode} tools`);
			await playFramework(place, { url, mode, command });
		}
	});
}

interface Attempted extends Pick<Result, "name" | "tool" | "options" | "kind"> {
	readonly needs: readonly Need[];
}

/** Runs the steps of a client, and prints how far it got. Never throws. Returns null if the machine lacks something. */
async function attempt(
	{ name, tool, options, kind, needs }: Attempted,
	run: (place: Workplace, isAt: (step: string) => void) => Promise<void>,
): Promise<Result | null> {
	const made = { name, kind, tool, options, date: new Date().toISOString().slice(0, 10) };
	const lacking = await findLacking(needs);
	if (lacking.length > 0) {
		console.log(`LACKING  ${name} needs ${lacking.join(", ")}`);
		return null;
	}
	const startedAt = performance.now();
	const place = new Workplace(name);
	let step = "started";
	try {
		await place.open();
		await run(place, (now) => {
			step = now;
		});
		console.log(`ok       ${name} (${Math.round((performance.now() - startedAt) / 1_000)} s)`);
		return { ...made, isWorking: true };
	} catch (error) {
		const why = `It could not be ${step}: ${error instanceof Error ? error.message : String(error)}`;
		console.log(`FAILED   ${name}. ${why}\n         ${place.path("log.txt")} has everything.`);
		return { ...made, isWorking: false };
	}
}

async function playOnce(client: Client, place: Workplace, { url, taskId, isGrowing }: Stage & { isGrowing: boolean }): Promise<void> {
	await place.write("files.json", describeFiles());
	const forwarder = await startForwarder(url, { isGrowing });
	try {
		const env = { BASE_URL: forwarder.url, TASK_ID: taskId, FILES: place.path("files.json") };
		const output = await place.run(await client.command(place), { env });
		const said = report.parse(JSON.parse(output.trim().split("\n").at(-1) ?? ""));
		assertEqual("the budget", said.budget_cents, LARGEST_BUDGET_CENTS);
		assertEqual("the task", said.task_id, taskId);
		assertEqual("the check", said.ok, true);
		assertEqual("the code of the error", said.code, "NOT_FOUND");
		if (isGrowing && forwarder.counts.objects < forwarder.counts.responses) throw new CommandError("Nothing was added to the responses.");
		await assertArrived(url, { taskId, key: said.key, submissionId: said.submission_id, note: NOTE });
	} finally {
		forwarder.close();
	}
}
