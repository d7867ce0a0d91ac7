// Defines the commands for deals, in which a poster pays an agent.
import { type Command, Option } from "commander";
import {
	type BountyClient,
	feeCents,
	formatCents,
	formatMoment,
	formatUnits,
	lineOf,
	NAMES,
	type Schemas,
	tellMoney,
} from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { clean, fields, formatWhen, type Paint, table } from "../terminal/text.ts";
import {
	argument,
	type Given,
	type LimitOption,
	pageSize,
	type Run,
	summaryOf,
	taskArgument,
	textOf,
	wholeNumber,
	withLimit,
} from "./define.ts";
import { showList } from "./listing.ts";

interface RecordOptions {
	readonly value: number;
	readonly type: Schemas["DealType"];
}

export function addDealCommands(program: Command, run: Run): void {
	const deal = program.command("deal").description("List deals, and record, accept, decline, pay, confirm or dispute one");
	const addStep = (command: Command, description: string, step: Step) =>
		run<StepOptions>(command, description, (ctx, given) => takeStep(ctx, given, step));
	run(withLimit(deal.command("list", { isDefault: true })), summaryOf("listDeals"), listDeals);
	addStep(deal.command("show <deal>"), summaryOf("getDeal"), { run: (client, id, { call }) => client.getDeal(id, call) });
	run(deal.command("record <task> <agent>"), `${summaryOf("createDeal")}. A task can have one deal that is not declined`, record)
		.requiredOption("--value <cents>", textOf("createDeal", "dealValueCents"), wholeNumber(0))
		.addOption(new Option("--type <type>", textOf("createDeal", "dealType")).choices(NAMES.DealType).default("output_purchase"));
	addStep(deal.command("accept <deal>"), summaryOf("acceptDeal"), {
		run: (client, id, { call }) => client.acceptDeal(id, call),
	});
	addStep(deal.command("decline <deal>"), `${summaryOf("declineDeal")}. This ends the deal`, {
		question: "Decline the deal? This is final.",
		run: (client, id, { call, options }) =>
			client.declineDeal(id, options.reason === undefined ? undefined : { reason: options.reason }, call),
	}).option("--reason <reason>", textOf("declineDeal", "reason"));
	addStep(deal.command("pay <deal>"), summaryOf("payDeal"), {
		run: (client, id, { call, options }) => client.payDeal(id, { payment_reference: options.reference ?? "" }, call),
	}).requiredOption("--reference <reference>", textOf("payDeal", "payment_reference"));
	addStep(deal.command("confirm <deal>"), `${summaryOf("confirmDeal")}. This ends the deal`, {
		question: "Confirm that you were paid? This is final.",
		run: (client, id, { call }) => client.confirmDeal(id, call),
	});
	addStep(deal.command("dispute <deal>"), `${summaryOf("disputeDeal")}. This ends the deal`, {
		question: "Dispute the deal? This is final.",
		run: (client, id, { call, options }) => client.disputeDeal(id, { reason: options.reason ?? "" }, call),
	}).requiredOption("--reason <reason>", textOf("disputeDeal", "reason"));
}

interface StepOptions {
	readonly reference?: string;
	readonly reason?: string;
}

interface Step {
	/** The question that the command asks before a final step. */
	readonly question?: string;
	readonly run: (
		client: BountyClient,
		id: string,
		given: { readonly call: { readonly signal: AbortSignal }; readonly options: StepOptions },
	) => Promise<Schemas["Deal"]>;
}

async function takeStep(ctx: Context, given: Given<StepOptions>, { question, run }: Step): Promise<void> {
	const client = await ctx.client();
	if (question !== undefined) await confirmStep(ctx.terminal, question);
	const deal = await run(client, argument(given, 0), { call: { signal: ctx.signal }, options: given.options });
	ctx.terminal.result(deal, (paint) => describeDeal(paint, deal));
}

function describeDeal(paint: Paint, deal: Schemas["Deal"]): string {
	const { payout, pay_exactly: exact, deal_value_cents: value } = deal;
	// Nothing is owed for a deal that was declined.
	const fee = deal.status === "declined" ? 0 : deal.platform_fee_cents;
	const money = tellMoney(deal).map(clean);
	const facts = fields(paint, {
		...{ deal: deal.id, status: deal.status, task: deal.task_id, agent: deal.agent_id, type: deal.deal_type },
		...{
			value: formatCents(value),
			fee: fee === 0 ? undefined : `${formatCents(fee)}, which the operator charges outside of the platform`,
		},
		"agent gets": fee === 0 ? undefined : formatCents(value - fee),
		"pay to": payout === null ? undefined : `${payout.method} ${payout.address ?? ""} ${payout.chain ?? ""}`.trim(),
		"pay exactly": exact === null ? undefined : `${formatUnits(exact.amount_atomic).replaceAll(",", "")} USDC`,
		...{ payment: deal.payment_reference ?? undefined, money: money.length === 0 ? undefined : money.join(" ") },
		"appeal until": deal.final_at === null ? "72 hours after the final round" : formatMoment(deal.final_at),
		score: describeChange(deal),
	});
	const rows = deal.history.map(({ at, actor, action: what, note, address }) => [formatWhen(at), actor, what, note ?? address]);
	return [facts, describeLine(paint, deal), table(paint, ["AT", "BY", "STEP", "NOTE"], rows)].join("\n\n");
}

function describeChange({ score_changed: changed }: Schemas["Deal"]): string | undefined {
	if (changed === null) return undefined;
	return `a review raised it from ${changed.from} to ${changed.to} on ${formatMoment(changed.at)}. The deal stays as it is`;
}

const STEP_MARKS = { done: "✓", next: "→", later: "·", skipped: "–", never: "×" } as const;

/** Writes the four steps in one line, and below it whose turn it is. */
function describeLine(paint: Paint, deal: Schemas["Deal"]): string {
	const { steps, turn, end } = lineOf(deal);
	const names = steps.map(({ name, state }) => `${STEP_MARKS[state]} ${name}`);
	if (end !== null) names.push(paint("red", `${end.action} by the ${end.by}`));
	const line = names.join("   ");
	return turn === null ? line : `${line}\nThe ${turn.party}'s turn since ${formatMoment(turn.since)}.`;
}

async function listDeals(ctx: Context, { options: { limit } }: { options: LimitOption }): Promise<void> {
	const list = (await ctx.client()).listDeals({ limit: pageSize(limit) }, { signal: ctx.signal });
	showList(ctx, await list.toArray(limit), {
		DEAL: ({ id }) => id,
		STATUS: ({ status }) => status,
		"YOU ARE": ({ role }) => role,
		VALUE: (deal) => formatCents(deal.deal_value_cents),
		TYPE: (deal) => deal.deal_type,
		TASK: (deal) => deal.task_id,
	});
}

async function record(ctx: Context, given: Given<RecordOptions>): Promise<void> {
	const { value, type } = given.options;
	const [taskId, agentId] = [taskArgument(given, 0), argument(given, 1)];
	const client = await ctx.client();
	if (!ctx.terminal.isConfirmed) {
		const { platform_fee_bps: bps } = await client.getTask(taskId, {}, { signal: ctx.signal });
		const fee = feeCents(value, bps);
		const share =
			fee === 0
				? ""
				: ` The agent gets ${formatCents(value - fee)}; the operator charges you the fee of ${formatCents(fee)} outside of the platform.`;
		await confirmStep(ctx.terminal, `Record a deal of ${formatCents(value)} with agent ${agentId}?${share} A task can have one deal.`);
	}
	const deal = await client.createDeal({ taskId, agentId, dealType: type, dealValueCents: value }, { signal: ctx.signal });
	ctx.terminal.result(deal, (paint) =>
		[describeDeal(paint, deal), ...deal.warnings.map(({ message }) => `${paint("yellow", "warning")}  ${clean(message)}`)].join("\n"),
	);
}
