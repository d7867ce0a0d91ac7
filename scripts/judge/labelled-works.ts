// Reads labelled submissions: a folder for each task, which contains its rubric and a folder for each submission with people's answers to
// the checks.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { criterionScore, sampleScore } from "../../src/domain/checks.ts";
import type { CriterionBrief, JudgedFile, TaskBrief } from "../../src/ports/judge.ts";
import { CommandError } from "../support/command.ts";
import { readJsonFile } from "../support/read-files.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import type { Label } from "./agreement.ts";
import { type Material, readMaterial } from "./material.ts";
import { readRubric } from "./rubric.ts";

/** The folder of the labelled submissions that are part of the project. */
export const SHIPPED_WORKS = join(PROJECT_ROOT, "scripts/judge/cases");

export interface LabelledAnswer {
	readonly found: Label;
	/** The quote that a person found in a file. Null for an answer without a quote. */
	readonly proof: { readonly path: string; readonly quote: string } | null;
}

export interface LabelledCase extends Omit<Material, "files"> {
	readonly name: string;
	/** The group. Submissions of one group were made for the same task, so they can be ordered. */
	readonly group: string;
	readonly task: TaskBrief;
	readonly criteria: readonly (CriterionBrief & { readonly weight: number })[];
	readonly files: readonly JudgedFile[];
	/** The answers to the checks of each criterion, in their order, by the criterion's name. */
	readonly answers: Readonly<Record<string, readonly LabelledAnswer[]>>;
	/** The score that follows from people's answers, from 0 to 100. */
	readonly expected: number;
}

const label = z.enum(["yes", "partly", "no"]);
const answersFile = z.record(
	z.string(),
	z.record(
		z.string(),
		z.union([
			label.transform((found) => ({ found, proof: null })),
			z
				.strictObject({ found: label, proof: z.strictObject({ path: z.string(), quote: z.string() }).optional() })
				.transform(({ found, proof = null }) => ({ found, proof })),
		]),
	),
);

/** Reads all labelled submissions of a folder. @throws CommandError that names the file at fault. */
export async function readLabelledWorks(folder: string): Promise<LabelledCase[]> {
	const works: LabelledCase[] = [];
	for (const group of await foldersIn(folder)) {
		const { task, criteria } = await readRubric(join(folder, group, "rubric.json"));
		const { title, description, inputSpec, outputSpec } = task;
		const shared = {
			group,
			task: { title, description, inputSpec, outputSpec, attachments: [] },
			criteria: criteria.map(({ name, description, weight, checks, evidence }) => {
				return { name, description, weight, checks, evidence, wholeChecks: [] };
			}),
		};
		for (const work of await foldersIn(join(folder, group))) works.push(await readWork(join(folder, group, work), work, shared));
	}
	if (works.length === 0) {
		throw new CommandError(`${folder} has no works: a folder for each task with rubric.json, and in it a folder for each work.`);
	}
	return works;
}

async function foldersIn(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
		throw new CommandError(`There is no folder ${folder}.`);
	});
	return entries
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => name)
		.toSorted();
}

async function readWork(folder: string, work: string, shared: Pick<LabelledCase, "group" | "task" | "criteria">): Promise<LabelledCase> {
	const path = join(folder, "answers.json");
	const parsed = answersFile.safeParse(await readJsonFile(path));
	const { files, ...material } = await readMaterial(join(folder, "work"));
	if (!parsed.success) throw new CommandError(`${path} must have yes, partly or no for each check of each criterion.`);
	const answers = Object.fromEntries(shared.criteria.map((criterion) => [criterion.name, answersOf(path, parsed.data, criterion)]));
	const read = files.map(({ path: name, text }) => ({ path: name, text }));
	const labelled = { ...shared, ...material, name: `${shared.group}/${work}`, files: read, answers };
	assertProofs(path, labelled);
	return { ...labelled, expected: expectedScore(labelled) };
}

/**
 * Returns the answers to the checks of a criterion.
 *
 * @throws CommandError if a check has no answer, or an answer has no check, because a misspelled answer would be missing from the figures.
 */
function answersOf(path: string, answers: z.output<typeof answersFile>, { name, checks }: CriterionBrief): LabelledAnswer[] {
	const own = answers[name] ?? {};
	const unknown = Object.keys(own).find((check) => !checks.includes(check));
	if (unknown !== undefined) throw new CommandError(`${path}: the criterion "${name}" has no check "${unknown}".`);
	return checks.map((check) => {
		const answer = own[check];
		if (answer === undefined) throw new CommandError(`${path} has no answer to the check "${check}" of "${name}".`);
		return answer;
	});
}

/** Checks that each quote is in its file. @throws CommandError if one is not. */
function assertProofs(path: string, { answers, files }: Pick<LabelledCase, "answers" | "files">): void {
	for (const { proof } of Object.values(answers).flat()) {
		if (proof === null) continue;
		const file = files.find((one) => one.path === proof.path);
		if (file?.text.includes(proof.quote) !== true) throw new CommandError(`${path}: ${proof.path} does not contain "${proof.quote}".`);
	}
}

function expectedScore({ criteria, answers }: Pick<LabelledCase, "criteria" | "answers">): number {
	return criteria.reduce((sum, { name, weight }) => {
		const found = (answers[name] ?? []).map((answer) => answer.found);
		return sum + (weight * criterionScore([{ model: "people", found, score: sampleScore(found) }])) / 100;
	}, 0);
}
