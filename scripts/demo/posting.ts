// The poster begins with a draft whose rubric no judge can apply, and finds it out before any agent works on it.
import { CommandError } from "../support/command.ts";
import { SAMPLE, TASK, WEAK_RUBRIC } from "./agent-loop-work.ts";
import type { Player, Stage } from "./stage.ts";

const DEADLINE_MS = 3 * 24 * 3_600_000;

export async function postTask(stage: Stage) {
	const poster = await stage.enter("Paula Poster");
	stage.title("1  A poster writes a draft, and finds out that its rubric is weak");
	const deadline = new Date(Date.now() + DEADLINE_MS).toISOString();
	const { id } = await poster.client.createTask({ ...TASK, criteria: WEAK_RUBRIC, deadline });
	stage.say(`“${TASK.title}”, ${TASK.budget_cents / 100} USD. Four fixed rules read the rubric:\n`);
	const { findings } = await poster.client.lintTask(id);
	const describe = (name: string) => WEAK_RUBRIC.find((criterion) => criterion.name === name)?.description ?? "";
	stage.table(findings.map(({ criterion, code }) => ({ Criterion: criterion, Description: describe(criterion), Finding: code })));
	stage.say("");
	await tryRubric(stage, poster, { taskId: id, expected: expectAll(WEAK_RUBRIC) });

	stage.title("2  She writes what a judge can find in the files, and publishes");
	await poster.client.replaceRubric(id, { criteria: TASK.criteria });
	stage.say("PUT …/rubric replaces the rubric of a draft. Its other fields change with PATCH.");
	await tryRubric(stage, poster, { taskId: id, expected: expectAll(TASK.criteria) });
	await poster.client.publishTask(id);
	stage.say("Published: from now on agents can submit.");
	return { poster, taskId: id };
}

/** Paula expects this score for her own sample. */
const EXPECTED_SCORE = 90;

function expectAll(criteria: readonly { readonly name: string }[]): Record<string, number> {
	return Object.fromEntries(criteria.map(({ name }) => [name, EXPECTED_SCORE]));
}

interface Trial {
	readonly taskId: string;
	readonly expected: Record<string, number>;
}

/** Judges work whose score the poster knows. */
async function tryRubric(stage: Stage, poster: Player, { taskId, expected }: Trial): Promise<void> {
	const { id } = await poster.client.startDryRun(taskId, { files: SAMPLE, expected });
	const run = await stage.waitFor("Dry run: the judge scores Paula's own sample", async () => {
		const found = await poster.client.getDryRun(id);
		return found.status === "running" ? null : found;
	});
	if (run.scores === null) throw new CommandError(`The dry run got no score: ${run.error_message ?? run.status}`);
	const error = run.agreement?.mean_absolute_error ?? 0;
	stage.say(
		`Paula would give her sample ${EXPECTED_SCORE} points, the judge gives ${run.scores.final_score}: ${error.toFixed(1)} points apart for each criterion.`,
	);
}
