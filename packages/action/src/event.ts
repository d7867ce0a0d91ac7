// Reads the event that started the workflow. GitHub writes it once, so it shows the issue as it was when its label was set.
import { readFile } from "node:fs/promises";
import { type Issue, parseIssue } from "../../cli/src/issues/issue.ts";
import { isRecord } from "../../sdk/src/core/json.ts";
import { BountyUsageError } from "../../sdk/src/node.ts";
import type { Environment } from "./inputs.ts";

const TRIGGER = "With mode: post, the workflow must start when an issue gets a label. Write on: { issues: { types: [labeled] } }.";

export interface LabeledIssue {
	readonly issue: Issue;
	/** The login of the person who set the label. */
	readonly sender: string;
}

/**
 * Returns the labelled issue. Returns null if the label is another one.
 *
 * @throws BountyUsageError for another event.
 */
export async function readLabeledIssue(env: Environment, label: string): Promise<LabeledIssue | null> {
	if (env["GITHUB_EVENT_NAME"] !== "issues") throw new BountyUsageError(TRIGGER);
	const event = await readEvent(env);
	if (!isRecord(event) || event["action"] !== "labeled") throw new BountyUsageError(TRIGGER);
	const [name, sender] = [textIn(event["label"], "name"), textIn(event["sender"], "login")];
	if (name === null || sender === null) throw new BountyUsageError("The event has no label or no sender.");
	// GitHub ignores case in labels.
	if (name.toLowerCase() !== label.toLowerCase()) return null;
	return { issue: parseIssue(event["issue"]), sender };
}

/** Returns the number of the pull request that started the workflow, or null. */
export async function readPullRequest(env: Environment): Promise<number | null> {
	const event = await readEvent(env);
	const number = isRecord(event) && isRecord(event["pull_request"]) ? event["pull_request"]["number"] : undefined;
	return typeof number === "number" ? number : null;
}

async function readEvent(env: Environment): Promise<unknown> {
	const path = env["GITHUB_EVENT_PATH"];
	return path ? JSON.parse(await readFile(path, "utf8")) : null;
}

function textIn(value: unknown, name: string): string | null {
	const text = isRecord(value) ? value[name] : null;
	return typeof text === "string" ? text : null;
}
