// Reads labelled cases of an operator: one folder per case, with the work, the rubric and people's levels.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { CommandError } from "../support/command.ts";
import { readJsonFile } from "../support/read-files.ts";
import type { CalibrationCase } from "./calibration-cases.ts";
import { readMaterial } from "./material.ts";
import { readRubric } from "./rubric.ts";

const levelsFile = z.record(z.string(), z.number().min(0).max(5));

/** @throws CommandError that names the file at fault. */
export async function readLabelledCases(folder: string): Promise<CalibrationCase[]> {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
		throw new CommandError(`There is no folder ${folder}.`);
	});
	const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
	if (names.length === 0) throw new CommandError(`${folder} has no cases: a folder for each, with work/, rubric.json and levels.json.`);
	const cases: CalibrationCase[] = [];
	for (const name of names.toSorted()) cases.push(await readCase(folder, name));
	return cases;
}

async function readCase(folder: string, name: string): Promise<CalibrationCase> {
	const { task, criteria } = await readRubric(join(folder, name, "rubric.json"), undefined);
	const { files } = await readMaterial(join(folder, name, "work"));
	const path = join(folder, name, "levels.json");
	const levels = levelsFile.safeParse(await readJsonFile(path));
	const isComplete = criteria.every((criterion) => levels.data?.[criterion.name] !== undefined);
	if (!levels.success || !isComplete) throw new CommandError(`${path} must have a level from 0 to 5 for each criterion of rubric.json.`);
	return { name, group: task.title, task, criteria, files, levels: levels.data };
}
