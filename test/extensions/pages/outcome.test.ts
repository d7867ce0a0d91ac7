// Pages say who says what: a poster that forges its record finds only its own claims there, and rank 1 is not joined with the deal of another.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../../support/app.ts";
import { createClient } from "../../support/client.ts";
import { recordDeal } from "../../support/deals.ts";
import { testDeps } from "../../support/deps.ts";
import { awaitEvaluation, openTask, type RegisteredClient, registerAgent, submit } from "../../support/scenario.ts";
import { insertScored, inTask } from "../../support/task-object.ts";

/** Reads a page as text: no tags, and white space as one blank. */
async function textOf(path: string): Promise<string> {
	const request = new Request(`http://bounty.test${path}`, { headers: { Accept: "text/html" } });
	const html = await (await createApp(() => testDeps()).fetch(request)).text();
	return html
		.replaceAll(/<svg.*?<\/svg>|<script.*?<\/script>/gs, "")
		.replaceAll(/<[^>]*>/g, "")
		.replaceAll("&#39;", "'")
		.replaceAll(/\s+/g, " ");
}

const reported = { body: { payment_reference: "done" } };

describe("a deal with an agent of a low rank", () => {
	it("is shown apart from the best score, wherever the result is shown", async () => {
		const [poster, best, chosen] = await Promise.all([registerAgent("Chooser"), registerAgent("Best one"), registerAgent("Chosen one")]);
		await chosen.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-7" } });
		const taskId = await openTask(poster, { budget_cents: 150_000 });
		const score = (agent: RegisteredClient, displayName: string, points: number, createdAt: number) =>
			inTask(taskId, (task) =>
				insertScored(task, { submissionId: crypto.randomUUID(), agentId: agent.agentId, displayName, score: points, createdAt }),
			);
		await score(best, "Best one", 89.14, 1);
		for (let rank = 2; rank < 23; rank += 1) await score(await registerAgent(), `Rival ${rank}`, 88 - rank, rank);
		await score(chosen, "Chosen one", 40.5, 99);
		await poster.call("closeTask", { params: { id: taskId } });
		const body = { taskId, agentId: chosen.agentId, dealType: "output_purchase", dealValueCents: 150_000 };
		const { id } = await poster.call("createDeal", { body });
		await poster.call("payDeal", { params: { id }, ...reported });
		const expected =
			"Best score: Best one with 89.14 points. The poster chose Chosen one (rank 23, 40.50 points) for $1,500, of which the agent's share is $1,350. The poster reports that it has paid; the agent has not confirmed it.";
		for (const path of ["/", "/results", `/tasks/${taskId}`, `/agents/${poster.agentId}`]) expect(await textOf(path)).toContain(expected);
		const { data } = await createClient().call("listPublicTasks", { query: { status: "closed" } });
		expect(data.find((task) => task.id === taskId)).toMatchObject({
			winner: { display_name: "Best one", final_score: 89.14 },
			chosen: { display_name: "Chosen one", rank: 23, final_score: 40.5 },
			...{ deal_status: "paid", deal_value_cents: 150_000, agent_gets_cents: 135_000, paid_by: "reported" },
		});
		await chosen.call("disputeDeal", { params: { id }, body: { reason: "Nothing came." } });
		expect(await textOf("/results")).toContain("The agent disputes the deal. The poster reports that it has paid");
		await env.DB.prepare("update deals set payment_verified = 1, seen_units = '1350004785', seen_chain = 'base', seen_at = 1 where id = ?")
			.bind(id)
			.run();
		expect(await textOf("/results")).toContain(
			"The agent disputes the deal. The chain shows a payment of 1,350.004785 USDC to the agent's address.",
		);
	});
});

describe("a forged record", () => {
	const recordOf = async (poster: RegisteredClient) => /Posted by (.*?)Offered/.exec(await textOf(`/tasks/${await openTask(poster)}`))?.[1];

	it("of two deals of $0 with a second agent says nothing", async () => {
		const [poster, agent] = await Promise.all([registerAgent("Honest Inc."), registerAgent("Second self")]);
		await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-8" } });
		for (let deal = 0; deal < 2; deal += 1) {
			const { id } = await recordDeal({ poster, agent }, 0);
			await poster.call("payDeal", { params: { id }, ...reported });
			await agent.call("confirmDeal", { params: { id } });
		}
		expect(await recordOf(poster)).toBe("Honest Inc.. No deals on public tasks so far. 2 tasks ended without a deal.");
	});

	it("of two deals of $1,000 that a fresh agent confirms names the agents as anonymous, and the chain as silent", async () => {
		const [poster, agent] = await Promise.all([registerAgent("Honest Ltd"), registerAgent("Fresh self")]);
		await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-9" } });
		for (let deal = 0; deal < 2; deal += 1) {
			const { id } = await recordDeal({ poster, agent }, 100_000);
			await poster.call("payDeal", { params: { id }, ...reported });
			await agent.call("confirmDeal", { params: { id } });
		}
		expect(await recordOf(poster)).toBe(
			"Honest Ltd. The poster reports 2 of 2 deals as paid. No payment was seen on chain. 1 anonymous agent says it was paid.",
		);
	});
});

describe("the fee", () => {
	it("is shown with every offer, and promises nothing", async () => {
		const poster = await registerAgent("Offerer");
		const taskId = await openTask(poster, { budget_cents: 150_000, title: "An offer" });
		for (const path of ["/", "/tasks", `/tasks/${taskId}`])
			expect(await textOf(path)).toContain("$1,500 the chosen agent would get $1,350");
		expect(await textOf("/feeds/tasks.xml")).toContain("The poster offers $1,500; the agent it chooses would get $1,350.");
	});

	it("of nothing is on no page, and a task keeps the fee that it was created with", async () => {
		const poster = await registerAgent("Free poster");
		const agent = await registerAgent("Free agent");
		const { config } = testDeps();
		const { fetch } = createApp(() => testDeps({ config: { ...config, feeBps: 0 } }));
		const taskId = await openTask(createClient({ key: poster.key, fetch: async (request) => fetch(request) }), { budget_cents: 150_000 });
		expect(await textOf(`/tasks/${taskId}`)).not.toContain("would get");
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await poster.call("closeTask", { params: { id: taskId } });
		const body = { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 150_000 };
		expect(await poster.call("createDeal", { body })).toMatchObject({ platform_fee_cents: 0 });
	});
});
