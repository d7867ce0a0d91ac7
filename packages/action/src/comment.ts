// Keeps one comment for each subject on a pull request or an issue, and finds it by a mark. Each run replaces its text.
import { CommandError } from "../../cli/src/core/exit-codes.ts";
import { type GitHub, GitHubError } from "../../cli/src/issues/github.ts";
import { isRecord } from "../../sdk/src/core/json.ts";
import type { Environment } from "./inputs.ts";

const PER_PAGE = 100;
const MAX_PAGES = 100;
/** GitHub rejects comments of more than 65,536 characters. */
const MAX_CHARACTERS = 60_000;
/** The job's own token writes as this user. It may not read its own user and, behind some proxies, may not use GraphQL. */
const JOB_LOGIN = "github-actions[bot]";
/** GitHub's statuses for a token that may not read its own user. Other statuses say nothing about the token. */
const UNREADABLE = [401, 403, 404];

interface Comment {
	/** The number of the pull request or the issue. */
	readonly number: number;
	/** What the comment is about, such as `task=<id>`. */
	readonly mark: string;
	readonly text: string;
	/** The permission that the job needs. */
	readonly needs: string;
}

/** Writes the comment. @throws CommandError if GitHub rejects it or fails. */
export async function writeComment(env: Environment, github: GitHub, { number, mark: name, text, needs }: Comment): Promise<void> {
	const repository = `/repos/${env["GITHUB_REPOSITORY"]}`;
	const list = `${repository}/issues/${number}/comments`;
	const mark = `<!-- bounty-platform ${name} -->`;
	const body = { body: `${mark}\n${text.slice(0, MAX_CHARACTERS)}` };
	const marked = await findMarked(github, { list, mark, needs });
	const login = marked.length === 0 ? null : await findLogin(github, env["GITHUB_GRAPHQL_URL"] || "/graphql");
	const earlier = marked.find(({ author }) => author === login);
	if (earlier === undefined) await github.send({ method: "POST", to: list, body, needs });
	else await github.send({ method: "PATCH", to: `${repository}/issues/comments/${earlier.id}`, body, needs });
}

interface Search {
	readonly list: string;
	readonly mark: string;
	readonly needs: string;
}

/** Returns the comments that begin with the mark. Anyone can write a mark, so the authors must be compared. */
async function findMarked(github: GitHub, { list, mark, needs }: Search): Promise<{ id: number; author: string }[]> {
	const marked: { id: number; author: string }[] = [];
	for (let page = 1; page <= MAX_PAGES; page += 1) {
		const listed = await github.send({ to: `${list}?per_page=${PER_PAGE}&page=${page}`, needs });
		if (!Array.isArray(listed)) break;
		for (const comment of listed) {
			if (!isRecord(comment) || !isRecord(comment["user"]) || typeof comment["id"] !== "number") continue;
			if (String(comment["body"]).startsWith(mark)) marked.push({ id: comment["id"], author: String(comment["user"]["login"]) });
		}
		if (listed.length < PER_PAGE) break;
	}
	return marked;
}

/**
 * Returns the login that the token writes as: a person's, or an app's, which only GraphQL returns.
 *
 * @throws CommandError if GitHub fails, because after a wrong guess there could be two comments.
 */
async function findLogin(github: GitHub, graphql: string): Promise<string> {
	const user = await readIfAllowed(github.send({ to: "/user" }));
	if (isRecord(user) && typeof user["login"] === "string") return user["login"];
	const query = { query: "query { viewer { login } }" };
	const reply = await readIfAllowed(github.send({ method: "POST", to: graphql, body: query }));
	const viewer = isRecord(reply) && isRecord(reply["data"]) ? reply["data"]["viewer"] : null;
	return isRecord(viewer) && typeof viewer["login"] === "string" ? viewer["login"] : JOB_LOGIN;
}

async function readIfAllowed(reading: Promise<unknown>): Promise<unknown> {
	return reading.catch((error: unknown) => {
		if (error instanceof GitHubError && UNREADABLE.includes(error.status)) return null;
		const reason = error instanceof Error ? error.message : String(error);
		throw new CommandError(`No comment was written, because GitHub did not say which account the token writes as. ${reason}`, {
			exitCode: 9,
			cause: error,
		});
	});
}
