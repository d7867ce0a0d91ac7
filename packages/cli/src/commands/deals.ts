// Deals: what a poster pays an agent for.
import { type Command, Option } from "commander";
import { type BountyClient, formatCents, NAMES, type Schemas } from "../core/sdk.ts";
import type { Context, World } from "../terminal/context.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { clean, fields, formatWhen, type Paint, table } from "../terminal/text.ts";
import {
	action,
	argument,
	type Given,
	type LimitOption,
	pageSize,
	summaryOf,
	taskArgument,
	textOf,
	wholeNumber,
	withLimit,
} from "./define.ts";

interface RecordOptions {
	readonly value: number;
	readonly type: Schemas["DealType"];
}

export function addDealCommands(program: Command, world: World): void {
	const deal = program.command("deal").description("List deals, and record, accept, pay, confirm or dispute one");
	withLimit(deal.command("list", { isDefault: true }))
		.description(summaryOf("listDeals"))
		.action(action(world, listDeals));
	deal
		.command("show <deal>")
		.description(summaryOf("getDeal"))
		.action(action(world, (ctx, given) => step(ctx, given, { run: (client, id) => client.getDeal(id, { signal: ctx.signal }) })));
	deal
		.command("record <task> <agent>")
		.description(`${summaryOf("createDeal")}. A task can have one deal`)
		.requiredOption("--value <cents>", textOf("createDeal", "dealValueCents"), wholeNumber(0))
		.addOption(new Option("--type <type>", textOf("createDeal", "dealType")).choices(NAMES.DealType).default("output_purchase"))
		.action(action(world, record));
	deal
		.command("accept <deal>")
		.description(summaryOf("acceptDeal"))
		.action(action(world, (ctx, given) => step(ctx, given, { run: (client, id) => client.acceptDeal(id, { signal: ctx.signal }) })));
	deal
		.command("pay <deal>")
		.description(summaryOf("payDeal"))
		.requiredOption("--reference <reference>", textOf("payDeal", "payment_reference"))
		.action(
			action<{ reference: string }>(world, (ctx, given) =>
				step(ctx, given, {
					run: (client, id) => client.payDeal(id, { payment_reference: given.options.reference }, { signal: ctx.signal }),
				}),
			),
		);
	deal
		.command("confirm <deal>")
		.description(`${summaryOf("confirmDeal")}. This ends the deal`)
		.action(
			action(world, (ctx, given) =>
				step(ctx, given, {
					question: "Confirm that you were paid? This is final.",
					run: (client, id) => client.confirmDeal(id, { signal: ctx.signal }),
				}),
			),
		);
	deal
		.command("dispute <deal>")
		.description(`${summaryOf("disputeDeal")}. This ends the deal`)
		.requiredOption("--reason <reason>", textOf("disputeDeal", "reason"))
		.action(
			action<{ reason: string }>(world, (ctx, given) =>
				step(ctx, given, {
					question: "Dispute the deal? This is final.",
					run: (client, id) => client.disputeDeal(id, { reason: given.options.reason }, { signal: ctx.signal }),
				}),
			),
		);
}

interface Step {
	/** Asked before a step that is final. */
	readonly question?: string;
	readonly run: (client: BountyClient, id: string) => Promise<Schemas["Deal"]>;
}

async function step(ctx: Context, given: Given<unknown>, { question, run }: Step): Promise<void> {
	const client = await ctx.client();
	if (question !== undefined) await confirmStep(ctx.terminal, question);
	const deal = await run(client, argument(given, 0));
	ctx.terminal.result(deal, (paint) => describeDeal(paint, deal));
}

function describeDeal(paint: Paint, deal: Schemas["Deal"]): string {
	const { payout } = deal;
	const facts = fields(paint, {
		...{ deal: deal.id, status: deal.status, task: deal.task_id, agent: deal.agent_id, type: deal.deal_type },
		...{ value: formatCents(deal.deal_value_cents), fee: formatCents(deal.platform_fee_cents) },
		"pay to": payout === null ? undefined : `${payout.method} ${payout.address ?? ""} ${payout.chain ?? ""}`.trim(),
		...{ payment: deal.payment_reference ?? undefined, verified: deal.payment_verified ?? undefined, note: deal.payment_note ?? undefined },
	});
	const rows = deal.history.map(({ at, actor, action: what, note }) => [formatWhen(at), actor, what, note]);
	return `${facts}\n\n${table(paint, ["AT", "BY", "STEP", "NOTE"], rows)}`;
}

async function listDeals(ctx: Context, { options: { limit } }: { options: LimitOption }): Promise<void> {
	const data = await (await ctx.client()).listDeals({ limit: pageSize(limit) }, { signal: ctx.signal }).toArray(limit);
	const rows = data.map((deal) => [deal.id, deal.status, deal.role, formatCents(deal.deal_value_cents), deal.deal_type, deal.task_id]);
	ctx.terminal.result({ data }, (paint) => table(paint, ["DEAL", "STATUS", "YOU ARE", "VALUE", "TYPE", "TASK"], rows));
}

async function record(ctx: Context, given: Given<RecordOptions>): Promise<void> {
	const { value, type } = given.options;
	const [taskId, agentId] = [taskArgument(given, 0), argument(given, 1)];
	const client = await ctx.client();
	await confirmStep(ctx.terminal, `Record a deal of ${formatCents(value)} with agent ${agentId}? A task can have one deal.`);
	const deal = await client.createDeal({ taskId, agentId, dealType: type, dealValueCents: value }, { signal: ctx.signal });
	ctx.terminal.result(deal, (paint) =>
		[describeDeal(paint, deal), ...deal.warnings.map(({ message }) => `${paint("yellow", "warning")}  ${clean(message)}`)].join("\n"),
	);
}
