// Writes one comment on the pull request, which each run replaces.
import { readFile } from "node:fs/promises";
import { isRecord } from "../../sdk/src/core/json.ts";
import type { Environment } from "./inputs.ts";

const MARK = "<!-- bounty-platform -->";
const PER_PAGE = 100;

interface Call {
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
}

/** Writes the comment. Returns false without a pull request. @throws Error if GitHub rejects it. */
export async function writeComment(env: Environment, { token, summary }: { token: string; summary: string }): Promise<boolean> {
	const number = await readPullRequest(env);
	if (number === null) return false;
	const api = env["GITHUB_API_URL"] ?? "https://api.github.com";
	const repository = `/repos/${env["GITHUB_REPOSITORY"]}`;
	const call = async ({ method, path, body }: Call): Promise<unknown> => {
		const response = await fetch(api + repository + path, {
			method,
			redirect: "error",
			headers: { Authorization: `Bearer ${token}`, Accept: "application/vnd.github+json", "Content-Type": "application/json" },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		if (!response.ok)
			throw new Error(`GitHub rejects the comment with status ${response.status}. The job needs the permission pull-requests: write.`);
		return response.json();
	};
	const body = { body: `${MARK}\n${summary}` };
	const listed = await call({ method: "GET", path: `/issues/${number}/comments?per_page=${PER_PAGE}` });
	const earlier = Array.isArray(listed) ? listed.find(isOwn) : undefined;
	if (isRecord(earlier)) await call({ method: "PATCH", path: `/issues/comments/${earlier["id"]}`, body });
	else await call({ method: "POST", path: `/issues/${number}/comments`, body });
	return true;
}

/** Anyone can write the mark into a comment, but only a bot's comment is the Action's. */
function isOwn(comment: unknown): boolean {
	if (!isRecord(comment) || !isRecord(comment["user"]) || typeof comment["id"] !== "number") return false;
	return comment["user"]["type"] === "Bot" && String(comment["body"]).startsWith(MARK);
}

async function readPullRequest(env: Environment): Promise<number | null> {
	const path = env["GITHUB_EVENT_PATH"];
	if (path === undefined) return null;
	const event: unknown = JSON.parse(await readFile(path, "utf8"));
	const number = isRecord(event) && isRecord(event["pull_request"]) ? event["pull_request"]["number"] : undefined;
	return typeof number === "number" ? number : null;
}
