// Plays the API of GitHub: issues, comments, and who may write.
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { type LocalServer, sendJson, serveLocally } from "./local-server.ts";

const JOB = "github-actions[bot]";

interface Comment {
	readonly id: number;
	readonly user: { readonly login: string };
	body: string;
}

export interface StubGitHub extends LocalServer {
	/** The calls, such as "GET /user". */
	readonly calls: string[];
	/** The tokens that were sent, and "none" for a request without one. */
	readonly tokens: Set<string>;
	/** The issues by their path, such as "ada/work/issues/7". */
	readonly issues: Map<string, object>;
	/** The permissions of people by their login. */
	readonly permissions: Map<string, string>;
	readonly comments: Comment[];
	/** Maps the beginning of a call to the status with which such calls fail. */
	readonly failures: Map<string, number>;
}

/** Starts a GitHub whose comments all belong to one issue. `prefix` is the path of its API. */
export async function startGitHub({ prefix = "" }: { prefix?: string } = {}): Promise<StubGitHub> {
	const state = {
		calls: [] as string[],
		tokens: new Set<string>(),
		issues: new Map<string, object>(),
		permissions: new Map<string, string>(),
		comments: [] as Comment[],
		failures: new Map<string, number>(),
	};
	const server = await serveLocally(async (request, response) => {
		const body = await buffer(request);
		const url = request.url ?? "";
		state.tokens.add(request.headers.authorization ?? "none");
		const path = url.startsWith(prefix) ? url.slice(prefix.length) : url;
		const call = `${request.method} ${path}`;
		state.calls.push(call);
		const failure = [...state.failures].find(([begin]) => call.startsWith(begin))?.[1];
		if (failure !== undefined) return sendJson(response, failure, { message: "It fails." }, failure < 400 ? { Location: "/moved" } : {});
		const reply = url.startsWith(prefix) ? answer(state, request, { path, body }) : null;
		sendJson(response, reply === null ? 404 : 200, reply ?? { message: "Not Found" });
	});
	return { ...server, ...state };
}

type State = Omit<StubGitHub, keyof LocalServer>;

function answer(state: State, { method }: IncomingMessage, { path, body }: { path: string; body: Buffer }) {
	const login = /\/collaborators\/([^/]+)\/permission$/.exec(path)?.[1];
	if (login === undefined)
		return path.includes("/comments") ? comment(state, method, { path, body }) : (state.issues.get(path.replace("/repos/", "")) ?? null);
	const permission = state.permissions.get(decodeURIComponent(login));
	return permission === undefined ? null : { permission, role_name: permission };
}

function comment({ comments }: State, method: string | undefined, { path, body }: { path: string; body: Buffer }) {
	if (method === "GET") return comments;
	const text = String(JSON.parse(body.toString()).body);
	const edited = comments.find(({ id }) => path.endsWith(`/comments/${id}`));
	if (method === "PATCH" && edited !== undefined) edited.body = text;
	if (method === "POST") comments.push({ id: comments.length + 1, user: { login: JOB }, body: text });
	return {};
}
