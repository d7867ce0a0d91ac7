// A client's program, as a developer would write it with openapi-fetch. It is compiled against generated types and then run. It prints each
// response as a line of JSON, which the test compares with the document.
export const PROGRAM = `
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./api.ts";

const [baseUrl = "", hookUrl = ""] = process.argv.slice(2);

const recorder: Middleware = {
	async onResponse({ request, response, schemaPath }) {
		const contentType = response.headers.get("Content-Type");
		const body = contentType?.startsWith("application/json") ? await response.clone().json() : null;
		console.log(JSON.stringify({ method: request.method, path: schemaPath, status: response.status, contentType, body }));
		return undefined;
	},
};

function connect(apiKey?: string) {
	const client = createClient<paths>({ baseUrl, ...(apiKey === undefined ? {} : { headers: { Authorization: "Bearer " + apiKey } }) });
	client.use(recorder);
	return client;
}

function unwrap<Data>({ data, error }: { data?: Data; error?: components["schemas"]["ErrorResponse"] }): Data {
	if (data === undefined) throw new Error(JSON.stringify(error));
	return data;
}

async function register(displayName: string) {
	const answer = await connect().POST("/api/v1/agent/register-anonymous", { body: { display_name: displayName } });
	return unwrap(answer);
}

const posterIdentity = await register("Typed poster");
const agentIdentity = await register("Typed agent");
const poster = connect(posterIdentity.api_key);
const agent = connect(agentIdentity.api_key);

const everything = ["submission.created", "submission.completed", "submission.failed", "evaluation.completed"] as const;
const ofTasks = ["task.opened", "task.closed", "task.status_changed", "deal.created", "deal.updated"] as const;
const webhook = unwrap(await poster.POST("/api/v1/webhooks", { body: { url: hookUrl, events: [...everything, ...ofTasks, "question.asked", "appeal.created"] } }));
unwrap(await poster.POST("/api/v1/webhooks/{id}/test", { params: { path: { id: webhook.id } } }));
unwrap(await agent.PUT("/api/v1/agent/profile", { body: { specialization_tags: ["typed"] } }));
unwrap(await agent.POST("/api/v1/webhooks", { body: { url: hookUrl, events: ["task.matched", "question.answered", "review.decided"] } }));

const draft = unwrap(
	await poster.POST("/api/v1/tasks", {
		body: {
			title: "Parse CSV files",
			category: "typed",
			budget_cents: 50_000,
			deadline: new Date(Date.now() + 7 * 86_400_000).toISOString(),
			criteria: [
				{ name: "Parser", description: "quotes, delimiter, newline", weight: 70 },
				{ name: "Tests", weight: 30 },
			],
		},
	}),
);
const task = { params: { path: { id: draft.id } } };
unwrap(await poster.POST("/api/v1/tasks/{id}/publish", task));

const listed = unwrap(await agent.GET("/api/v1/tasks", { params: { query: { category: "typed", limit: 5 } } }));
if (!listed.data.some(({ id }) => id === draft.id)) throw new Error("The task is not listed.");
const rubric = unwrap(await agent.GET("/api/v1/tasks/{id}", task)).criteria;
if (rubric.reduce((sum, { weight }) => sum + weight, 0) !== 100) throw new Error("The weights do not sum to 100.");

const submitted = unwrap(
	await agent.POST("/api/v1/tasks/{id}/quick-submit", {
		params: { ...task.params, header: { "Idempotency-Key": "typed-1" } },
		body: { files: { "parser.js": "split on the delimiter, mind quotes and newline", "logo.png": { content: "AAAA", encoding: "base64" } } },
	}),
);
const submission = { params: { path: { id: submitted.id } } };
let state = unwrap(await agent.GET("/api/v1/submissions/{id}", submission));
for (let polls = 0; !state.evaluated; polls += 1) {
	if (polls > 20 || state.status === "failed" || state.status === "evaluation_failed") throw new Error("No score: " + state.error_message);
	await new Promise((resolve) => setTimeout(resolve, Math.min(2_000, 200 * 2 ** polls)));
	state = unwrap(await agent.GET("/api/v1/submissions/{id}", submission));
}
const finalScore: number | undefined = state.scores?.final_score;

const registered = unwrap(await agent.POST("/api/v1/tasks/{id}/submissions", { ...task, body: {} }));
await fetch(registered.upload_url, { method: "PUT", body: "no zip", headers: { "Content-Type": "application/zip" } });
const refused = await agent.POST("/api/v1/submissions/{id}/complete", { params: { path: { id: registered.id } } });
if (refused.error?.error.code !== "BAD_REQUEST") throw new Error("A broken zip was not refused.");

const question = unwrap(await agent.POST("/api/v1/tasks/{id}/questions", { ...task, body: { text: "Which newline?" } }));
const asked = { params: { path: { id: draft.id, questionId: question.id } } };
const answered = unwrap(await poster.POST("/api/v1/tasks/{id}/questions/{questionId}/answer", { ...asked, body: { text: "Either." } }));
if (answered.answer !== "Either.") throw new Error("The question has no answer.");
const appeal = unwrap(await agent.POST("/api/v1/submissions/{id}/appeal", { ...submission, body: { reason: "It minds quotes." } }));
if (appeal.status !== "open") throw new Error("The appeal is not open.");
unwrap(await poster.POST("/api/v1/submissions/{id}/review", { ...submission, body: { decision: "upheld", reason: "It does not." } }));

const value = { score: finalScore ?? null, tags: ["typed"] };
unwrap(await agent.PUT("/api/v1/workspace/kv/{key}", { params: { path: { key: "runs/last" } }, body: { value } }));
const entry = unwrap(await agent.GET("/api/v1/workspace/kv/{key}", { params: { path: { key: "runs/last" } } }));
if (entry.key !== "runs/last") throw new Error("The key has lost its slash.");

const board = unwrap(await agent.GET("/api/v1/tasks/{id}/leaderboard", task));
if (board.me?.rank !== 1 || board.me.finalScore !== finalScore) throw new Error("The agent does not stand first.");

unwrap(await poster.POST("/api/v1/tasks/{id}/close", task));
const received = unwrap(await poster.GET("/api/v1/tasks/{id}/submissions", { params: { ...task.params, query: { sort: "score" } } }));
if (typeof received === "string") throw new Error("Only Accept: text/csv asks for text.");
const best = received.data[0];
if (best === undefined) throw new Error("Nothing was received.");
const terms = { taskId: draft.id, agentId: best.agent_id, dealType: "output_purchase", dealValueCents: 50_000 } as const;
const deal = unwrap(await poster.POST("/api/v1/deals", { body: terms }));
const again = await poster.POST("/api/v1/deals", { body: terms });
if (again.error?.error.code !== "DEAL_EXISTS") throw new Error("A second deal was not refused.");
const deals = unwrap(await agent.GET("/api/v1/deals", {}));
if (deals.data[0]?.role !== "agent" || deals.data[0].id !== deal.id) throw new Error("The agent does not see the deal.");
const ofDeal = { params: { path: { id: deal.id } } };
const accepted = unwrap(await agent.POST("/api/v1/deals/{id}/accept", ofDeal));
if (accepted.status !== "accepted" || accepted.history.at(-1)?.actor !== "agent") throw new Error("The deal was not accepted.");
const unpaid = await poster.POST("/api/v1/deals/{id}/pay", { ...ofDeal, body: { payment_reference: "invoice 7" } });
if (unpaid.error?.error.code !== "CONFLICT") throw new Error("An agent without a wallet was paid.");
console.log(JSON.stringify({ taskId: draft.id, submissionId: submitted.id, key: posterIdentity.api_key }));
`;

/** Mistakes, one in each line, that the types must find. The compiler reports a line in which it finds none. */
export const MISTAKES = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

const client = createClient<paths>({ baseUrl: "" });
const deadline = "2026-12-08T18:00:00.000Z";
const path = { id: "01a230d9-a660-778d-8de6-c44c789d6478" };

// @ts-expect-error There is no such address.
await client.GET("/api/v1/bounties");
// @ts-expect-error This address takes no DELETE.
await client.DELETE("/api/v1/tasks/{id}/leaderboard", { params: { path } });
// @ts-expect-error The path needs its id.
await client.GET("/api/v1/tasks/{id}", {});
// @ts-expect-error A budget is a number.
await client.POST("/api/v1/tasks", { body: { title: "A", deadline, budget_cents: "50000" } });
// @ts-expect-error A task needs a deadline.
await client.POST("/api/v1/tasks", { body: { title: "A", budget_cents: 50_000 } });
// @ts-expect-error There is no such mode.
await client.GET("/api/v1/tasks", { params: { query: { eval_mode: "dice" } } });
// @ts-expect-error There is no such event.
await client.POST("/api/v1/webhooks", { body: { url: "https://a.example", events: ["task.exploded"] } });

const { data, error } = await client.GET("/api/v1/submissions/{id}", { params: { path } });
// @ts-expect-error Scores may be missing.
data?.scores.final_score;
// @ts-expect-error A submission has no such field.
data?.score;
// @ts-expect-error A code is text.
error?.error.code === 404;

declare const event: { readonly data: string };
const parsed: components["schemas"]["Submission"] | components["schemas"]["ErrorResponse"] = JSON.parse(event.data);
// @ts-expect-error The submission may be an error.
parsed.status;
`;
