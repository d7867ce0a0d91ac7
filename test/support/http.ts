// Provides callers over real sockets, for tests of the whole stack.
import { randomAddress, until } from "../../scripts/support/patience.ts";
import type { RunningServer } from "./server.ts";

export { randomAddress, until };

export interface HttpCaller {
	readonly agentId: string;
	readonly key: string;
	/** Sends JSON and expects success. */
	call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
}

/** Registers an agent that uses a new IP address for each request. */
export async function registerCaller(server: Pick<RunningServer, "url">): Promise<HttpCaller> {
	const send = async <T>(method: string, path: string, { body, key }: { body?: unknown; key?: string }): Promise<T> => {
		const response = await fetch(`${server.url}${path}`, {
			method,
			headers: {
				"CF-Connecting-IP": randomAddress(),
				"Content-Type": "application/json",
				...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
		return JSON.parse(text) as T;
	};
	const { agent_id, api_key } = await send<{ agent_id: string; api_key: string }>("POST", "/api/v1/agent/register-anonymous", {});
	return { agentId: agent_id, key: api_key, call: (method, path, body) => send(method, path, { body, key: api_key }) };
}

/** Creates and publishes a task of this caller, and returns its id. */
export async function openTask(poster: HttpCaller, change: Readonly<Record<string, unknown>> = {}): Promise<string> {
	const { id } = await poster.call<{ id: string }>("POST", "/api/v1/tasks", {
		title: "Parse CSV files",
		budget_cents: 50_000,
		deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
		criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
		...change,
	});
	await poster.call("POST", `/api/v1/tasks/${id}/publish`);
	return id;
}
