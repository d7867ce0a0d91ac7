// Reads the bounty block of an issue: the terms of its task, in YAML.
import { parseDocument } from "yaml";
import { usageError } from "../core/exit-codes.ts";
import { isRecord, type Schemas, trustDocument } from "../core/sdk.ts";
import type { NewTask } from "../work/task-file.ts";

/** The form that a value must have. The platform checks the rest, such as the smallest budget. */
interface Rule {
	readonly must: string;
	readonly holds: (value: unknown) => boolean;
}

const TEXT: Rule = { must: "be a text", holds: (value) => typeof value === "string" };
const WHOLE: Rule = { must: "be a whole number", holds: (value) => Number.isSafeInteger(value) };
const FLAG: Rule = { must: "be true or false", holds: (value) => typeof value === "boolean" };

/**
 * A stranger may write an issue, so a block sets neither who judges nor who sees the task: their image or URL would be trusted like the
 * poster's own.
 */
const TERM_RULES = {
	budget_cents: WHOLE,
	deadline: TEXT,
	criteria: { must: "be a list", holds: Array.isArray },
	category: TEXT,
	max_submissions_per_agent: WHOLE,
	final_round: FLAG,
	sealed: FLAG,
} as const satisfies Partial<Record<keyof NewTask, Rule>>;

const CRITERION_FIELDS = [
	"name",
	"description",
	"weight",
	"evidence",
	"checks",
	"final_only",
	"position",
] as const satisfies readonly (keyof Schemas["CriterionInput"])[];

/** The terms of a task that an issue, an option of a command or an input of a workflow can set. */
export type Terms = Partial<Pick<NewTask, keyof typeof TERM_RULES>>;

const MAX_CHARACTERS = 100_000;

/**
 * Reads the text of a bounty block.
 *
 * @throws CommandError that says what is wrong in it.
 */
export function parseTerms(yaml: string): Terms {
	const value = parseYaml(yaml) ?? {};
	if (!isRecord(value)) throw usageError("The bounty block must contain fields, such as budget_cents: 50000.");
	assertNames("The bounty block", value, Object.keys(TERM_RULES));
	for (const [name, { must, holds }] of Object.entries(TERM_RULES)) {
		if (Object.hasOwn(value, name) && !holds(value[name])) throw usageError(`${name} in the bounty block must ${must}.`);
	}
	const { criteria } = value;
	for (const [index, criterion] of (Array.isArray(criteria) ? criteria : []).entries()) {
		const place = `criteria[${index}] in the bounty block`;
		if (!isRecord(criterion)) throw usageError(`${place} must contain fields, such as name and weight.`);
		assertNames(place, criterion, CRITERION_FIELDS);
	}
	return trustDocument<Terms>(value);
}

function assertNames(place: string, value: object, known: readonly string[]): void {
	const unknown = Object.keys(value).filter((name) => !known.includes(name));
	if (unknown.length > 0) throw usageError(`${place} cannot set ${unknown.join(", ")}.`, `It can set: ${known.join(", ")}.`);
}

/** Parses plain data. Rejects aliases, tags and directives, because they can make a short text large or change its meaning. */
function parseYaml(yaml: string): unknown {
	if (yaml.length > MAX_CHARACTERS) throw usageError("The bounty block is too long.");
	try {
		const document = parseDocument(yaml, { schema: "core", version: "1.2", stringKeys: true, resolveKnownTags: false });
		const [fault] = [...document.errors, ...document.warnings];
		if (fault !== undefined) throw fault;
		if (document.directives.yaml.explicit === true) throw new Error("A directive is not allowed.");
		return document.toJS({ maxAliasCount: 0 });
	} catch (error) {
		// Text that is nested thousands of levels deep would overflow the parser's stack, which this reports as well.
		throw usageError(`The bounty block is not plain YAML: ${error instanceof Error ? error.message : String(error)}`);
	}
}
