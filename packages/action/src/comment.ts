// Writes one comment for each task on the pull request, which each run replaces.
import { readFile } from "node:fs/promises";
import { isRecord } from "../../sdk/src/core/json.ts";
import type { Environment } from "./inputs.ts";

const PER_PAGE = 100;
const MAX_PAGES = 100;
/** GitHub rejects comments of more than 65,536 characters. */
const MAX_CHARACTERS = 60_000;
/** The job's own token writes as this user, and may read neither its user nor, behind some proxies, GraphQL. */
const JOB_LOGIN = "github-actions[bot]";

interface Call {
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
}

type Send = (call: Call) => Promise<unknown>;

interface Comment {
	readonly token: string;
	readonly taskId: string;
	readonly summary: string;
}

/** Writes the comment. Returns false without a pull request. @throws Error if GitHub rejects it. */
export async function writeComment(env: Environment, { token, taskId, summary }: Comment): Promise<boolean> {
	const number = await readPullRequest(env);
	if (number === null) return false;
	const send = senderOf(env["GITHUB_API_URL"] ?? "https://api.github.com", token);
	const repository = `/repos/${env["GITHUB_REPOSITORY"]}`;
	const mark = `<!-- bounty-platform task=${taskId.toLowerCase()} -->`;
	const body = { body: `${mark}\n${summary.slice(0, MAX_CHARACTERS)}` };
	const marked = await findMarked(send, `${repository}/issues/${number}/comments`, mark);
	const login = marked.length === 0 ? null : await findLogin(send);
	const earlier = marked.find(({ author }) => author === login);
	if (earlier === undefined) await send({ method: "POST", path: `${repository}/issues/${number}/comments`, body });
	else await send({ method: "PATCH", path: `${repository}/issues/comments/${earlier.id}`, body });
	return true;
}

function senderOf(api: string, token: string): Send {
	return async ({ method, path, body }) => {
		const response = await fetch(api + path, {
			method,
			redirect: "error",
			headers: { Authorization: `Bearer ${token}`, Accept: "application/vnd.github+json", "Content-Type": "application/json" },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		if (!response.ok)
			throw new Error(`GitHub rejects the comment with status ${response.status}. The job needs the permission pull-requests: write.`);
		return response.json();
	};
}

/** Returns the comments that begin with the mark. Anyone can write it, so their authors must be compared. */
async function findMarked(send: Send, path: string, mark: string): Promise<{ id: number; author: string }[]> {
	const marked: { id: number; author: string }[] = [];
	for (let page = 1; page <= MAX_PAGES; page += 1) {
		const listed = await send({ method: "GET", path: `${path}?per_page=${PER_PAGE}&page=${page}` });
		if (!Array.isArray(listed)) break;
		for (const comment of listed) {
			if (!isRecord(comment) || !isRecord(comment["user"]) || typeof comment["id"] !== "number") continue;
			if (String(comment["body"]).startsWith(mark)) marked.push({ id: comment["id"], author: String(comment["user"]["login"]) });
		}
		if (listed.length < PER_PAGE) break;
	}
	return marked;
}

/** Returns the login that the token writes as: a person's, or an app's, which only GraphQL tells. */
async function findLogin(send: Send): Promise<string> {
	const user = await send({ method: "GET", path: "/user" }).catch(() => null);
	if (isRecord(user) && typeof user["login"] === "string") return user["login"];
	const reply = await send({ method: "POST", path: "/graphql", body: { query: "query { viewer { login } }" } }).catch(() => null);
	const viewer = isRecord(reply) && isRecord(reply["data"]) ? reply["data"]["viewer"] : null;
	return isRecord(viewer) && typeof viewer["login"] === "string" ? viewer["login"] : JOB_LOGIN;
}

async function readPullRequest(env: Environment): Promise<number | null> {
	const path = env["GITHUB_EVENT_PATH"];
	if (path === undefined) return null;
	const event: unknown = JSON.parse(await readFile(path, "utf8"));
	const number = isRecord(event) && isRecord(event["pull_request"]) ? event["pull_request"]["number"] : undefined;
	return typeof number === "number" ? number : null;
}
