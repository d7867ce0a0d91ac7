// Plays the loop with the client that openapi-generator writes for axios.
import { AxiosError } from "axios";
import * as api from "./client/index.ts";
import { given, print, SECOND_MS, TASK_ID, URL } from "./given.ts";

const { data: me } = await new api.IdentityApi(new api.Configuration({ basePath: URL })).registerAnonymous();
const configuration = new api.Configuration({ basePath: URL, accessToken: me.api_key });
const tasks = new api.TasksApi(configuration);
const submissions = new api.SubmissionsApi(configuration);

const listed = (await tasks.listTasks(undefined, undefined, undefined, undefined, undefined, 100)).data.data.find(
	({ id }) => id === TASK_ID,
);
if (listed === undefined) throw new Error("The task is not listed.");
const { data: task } = await tasks.getTask(listed.id);

const files: Record<string, api.FileContent> = { ...given.texts };
for (const [path, content] of Object.entries(given.base64)) files[path] = { content, encoding: "base64" };
const { data: check } = await submissions.checkSubmission(task.id, { files });
const { data: submitted } = await submissions.quickSubmit(task.id, { files }, "once");
let { data: submission } = await submissions.getSubmission(submitted.id);
while (!submission.evaluated) {
	await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
	({ data: submission } = await submissions.getSubmission(submitted.id));
}
const { data: board } = await new api.LeaderboardApi(configuration).getLeaderboard(task.id);
await new api.WorkspaceApi(configuration).putWorkspaceEntry("last", { value: { submission: submission.id } });
const { data: webhooks } = await new api.WebhooksApi(configuration).listWebhooks();
const refused: unknown = await tasks.getTask(me.agent_id).catch((error: unknown) => error);
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
