// Turns an issue into a task.
import { createHash } from "node:crypto";
import { usageError } from "../core/exit-codes.ts";
import type { NewTask } from "../work/task-file.ts";
import type { Issue } from "./issue.ts";
import { parseTerms, type Terms } from "./issue-terms.ts";
import { cleanText, readIssueText } from "./issue-text.ts";

export interface IssueTask {
	readonly issue: Issue;
	readonly task: NewTask;
	/** The same issue with the same terms always has the same digest, because the digest covers a relative deadline as it was written. */
	readonly digest: string;
}

/** The maximum length of a task's title. An issue's title can have 256 characters. */
const MAX_TITLE = 200;
const HOUR_MS = 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

interface Wish {
	/** Overrides the issue's own terms. */
	readonly terms: Terms;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** Reads the task that an issue describes. @throws CommandError that says what the issue lacks. */
export function readIssueTask(issue: Issue, { terms: given, now }: Wish): IssueTask {
	const { terms, description, input, output } = readIssueText(issue.body);
	const { budget_cents, deadline, ...others } = { ...(terms === null ? {} : parseTerms(terms)), ...given };
	if (budget_cents === undefined) throw lacks("budget_cents", "50000");
	if (deadline === undefined) throw lacks("deadline", "14d");
	const content = {
		title: readTitle(issue.title),
		...(description === "" ? {} : { description }),
		...(input === "" ? {} : { input_spec: input }),
		...(output === "" ? {} : { output_spec: output }),
		budget_cents,
		...others,
	};
	const digest = createHash("sha256")
		.update(JSON.stringify({ ...content, deadline }))
		.digest("hex");
	return { issue, digest, task: { ...content, deadline: resolveDeadline(deadline, now) } };
}

function lacks(name: string, example: string): Error {
	const option = name.replaceAll("_", "-");
	return usageError(
		`The issue does not say ${name}.`,
		`Write ${name}: ${example} into a fenced block with the word bounty, or set it with the option or input ${option}.`,
	);
}

function readTitle(text: string): string {
	const title = [...cleanText(text).replace(/\s+/g, " ").trim()];
	return title.length <= MAX_TITLE ? title.join("") : `${title.slice(0, MAX_TITLE - 1).join("")}…`;
}

/**
 * Returns a deadline as an ISO time. A duration such as `14d` counts from now and is rounded up to the hour, so that `24h` is not too short
 * by the time it reaches the platform.
 */
export function resolveDeadline(text: string, now: number): string {
	const [, count, unit = ""] = /^\s*(\d{1,4})\s*([hdw])\s*$/.exec(text) ?? [];
	const unitMs = UNITS_MS[unit];
	if (count !== undefined && unitMs !== undefined) {
		return new Date(Math.floor((now + Number(count) * unitMs) / HOUR_MS) * HOUR_MS + HOUR_MS).toISOString();
	}
	if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(Date.parse(text)))
		throw usageError(`The deadline ${text} is neither a time such as 14d nor a moment such as 2027-01-31T12:00:00Z.`);
	return text;
}
