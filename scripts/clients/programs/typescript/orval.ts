// Plays the loop with the client that orval writes for axios.
import axios, { AxiosError } from "axios";
import * as api from "./client/api.ts";
import { given, print, SECOND_MS, TASK_ID, URL } from "./given.ts";

axios.defaults.baseURL = URL;
const { data: me } = await api.registerAnonymous();
axios.defaults.headers.common["Authorization"] = `Bearer ${me.api_key}`;

const listed = (await api.listTasks({ limit: 100 })).data.data.find(({ id }) => id === TASK_ID);
if (listed === undefined) throw new Error("The task is not listed.");
const { data: task } = await api.getTask(listed.id);

const files: Record<string, api.FileContent> = { ...given.texts };
for (const [path, content] of Object.entries(given.base64)) files[path] = { content, encoding: "base64" };
const { data: check } = await api.checkSubmission(task.id, { files });
const { data: submitted } = await api.quickSubmit(task.id, { files }, { headers: { "Idempotency-Key": "once" } });
let { data: submission } = await api.getSubmission(submitted.id);
while (!submission.evaluated) {
	await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
	({ data: submission } = await api.getSubmission(submitted.id));
}
const { data: board } = await api.getLeaderboard(task.id);
await api.putWorkspaceEntry("last", { value: { submission: submission.id } });
const { data: webhooks } = await api.listWebhooks();
const refused: unknown = await api.getTask(me.agent_id).catch((error: unknown) => error);
if (!(refused instanceof AxiosError) || refused.response?.status !== 404) throw new Error("An unknown task was found.");
const { error }: api.ErrorResponse = refused.response.data;

print({
	key: me.api_key,
	task_id: task.id,
	budget_cents: listed.budget_cents,
	ok: check.ok,
	submission_id: submission.id,
	rank: board.me?.rank,
	webhooks: webhooks.data.length,
	code: error.code,
});
