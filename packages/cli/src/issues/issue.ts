// An issue of GitHub, as its API and the events of workflows describe it.
import { usageError } from "../core/exit-codes.ts";
import { isRecord } from "../core/sdk.ts";

export interface Issue {
	/** The host and the id, such as `github.com/1234567`. They stay the same if the issue or its repository is renamed. */
	readonly key: string;
	readonly number: number;
	/** The page of the issue. */
	readonly url: string;
	readonly title: string;
	/** The text as its author wrote it, in Markdown. */
	readonly body: string;
}

/** Reads an issue from JSON, which can be a whole event. @throws CommandError for something else, such as a pull request. */
export function parseIssue(json: unknown): Issue {
	const value = isRecord(json) && isRecord(json["issue"]) ? json["issue"] : json;
	if (!isRecord(value)) throw usageError("This is not an issue.");
	const { id, number, title, body, html_url: url } = value;
	if (!isId(id) || !isId(number) || typeof title !== "string" || typeof url !== "string" || !URL.canParse(url)) {
		throw usageError("This is not an issue.", "An issue has id, number, title, body and html_url, as GitHub's API returns it.");
	}
	if (isRecord(value["pull_request"])) throw usageError(`${url} is a pull request, not an issue.`);
	const host = new URL(url).host.replace(/[^a-z0-9.:-]/g, "_");
	return { key: `${host}/${id}`, number, url, title, body: typeof body === "string" ? body : "" };
}

function isId(value: unknown): value is number {
	return Number.isSafeInteger(value) && Number(value) > 0;
}
