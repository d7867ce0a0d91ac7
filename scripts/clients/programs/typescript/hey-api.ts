// Plays the loop with the client that hey-api writes.
import { client } from "./client/client.gen.ts";
import * as api from "./client/index.ts";
import { given, print, SECOND_MS, TASK_ID, URL } from "./given.ts";

client.setConfig({ baseUrl: URL, throwOnError: true });
const throwOnError = true;
const { data: me } = await api.registerAnonymous({ throwOnError });
client.setConfig({ auth: me.api_key });

const listed = (await api.listTasks({ query: { limit: 100 }, throwOnError })).data.data.find(({ id }) => id === TASK_ID);
if (listed === undefined) throw new Error("The task is not listed.");
const path = { id: listed.id };
const { data: task } = await api.getTask({ path, throwOnError });

const files: Record<string, api.FileContent> = { ...given.texts };
for (const [name, content] of Object.entries(given.base64)) files[name] = { content, encoding: "base64" };
const { data: check } = await api.checkSubmission({ path, body: { files }, throwOnError });
const { data: submitted } = await api.quickSubmit({ path, headers: { "Idempotency-Key": "once" }, body: { files }, throwOnError });
const read = async () => (await api.getSubmission({ path: { id: submitted.id }, throwOnError })).data;
let submission = await read();
while (!submission.evaluated) {
	await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
	submission = await read();
}
const { data: board } = await api.getLeaderboard({ path, throwOnError });
await api.putWorkspaceEntry({ path: { key: "last" }, body: { value: { submission: submission.id } }, throwOnError });
const { data: webhooks } = await api.listWebhooks({ throwOnError });
const { error, response } = await api.getTask({ path: { id: me.agent_id }, throwOnError: false });
if (response?.status !== 404 || error === undefined) throw new Error("An unknown task was found.");

print({
	key: me.api_key,
	task_id: task.id,
	budget_cents: listed.budget_cents,
	ok: check.ok,
	submission_id: submission.id,
	rank: board.me?.rank,
	webhooks: webhooks.data.length,
	code: error.error.code,
});
