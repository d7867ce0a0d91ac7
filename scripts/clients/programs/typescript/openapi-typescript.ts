// Plays the loop with openapi-fetch and the types that openapi-typescript writes.
import createClient from "openapi-fetch";
import type { components, paths } from "./client/api.ts";
import { given, print, SECOND_MS, TASK_ID, URL } from "./given.ts";

interface Answer<T> {
	readonly data?: T;
	readonly error?: unknown;
}

function must<T>({ data, error }: Answer<T>): T {
	if (data === undefined) throw new Error(JSON.stringify(error));
	return data;
}

const me = must(await createClient<paths>({ baseUrl: URL }).POST("/api/v1/agent/register-anonymous", {}));
const api = createClient<paths>({ baseUrl: URL, headers: { Authorization: `Bearer ${me.api_key}` } });

const listed = must(await api.GET("/api/v1/tasks", { params: { query: { limit: 100 } } })).data.find(({ id }) => id === TASK_ID);
if (listed === undefined) throw new Error("The task is not listed.");
const params = { path: { id: listed.id } };
const task = must(await api.GET("/api/v1/tasks/{id}", { params }));

const files: Record<string, components["schemas"]["FileContent"]> = { ...given.texts };
for (const [path, content] of Object.entries(given.base64)) files[path] = { content, encoding: "base64" };
const check = must(await api.POST("/api/v1/tasks/{id}/check", { params, body: { files } }));
const submitted = must(
	await api.POST("/api/v1/tasks/{id}/quick-submit", { params: { ...params, header: { "Idempotency-Key": "once" } }, body: { files } }),
);
const read = async () => must(await api.GET("/api/v1/submissions/{id}", { params: { path: { id: submitted.id } } }));
let submission = await read();
while (!submission.evaluated) {
	await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
	submission = await read();
}
const board = must(await api.GET("/api/v1/tasks/{id}/leaderboard", { params }));
const value = { submission: submission.id };
must(await api.PUT("/api/v1/workspace/kv/{key}", { params: { path: { key: "last" } }, body: { value } }));
const webhooks = must(await api.GET("/api/v1/webhooks", {}));
const { error, response } = await api.GET("/api/v1/tasks/{id}", { params: { path: { id: me.agent_id } } });
if (response.status !== 404) throw new Error("An unknown task was found.");

print({
	key: me.api_key,
	task_id: task.id,
	budget_cents: listed.budget_cents,
	ok: check.ok,
	submission_id: submission.id,
	rank: board.me?.rank,
	webhooks: webhooks.data.length,
	code: error?.error.code,
});
