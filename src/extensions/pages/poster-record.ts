import { formatCents } from "../../domain/formats.ts";
import type { PosterFacts } from "../profiles/profile.ts";

type PosterRecord = PosterFacts["record"];

/** Describes what is known about a poster's payments, in one sentence per source: the poster, the chain, and the agents. */
export function paymentRecord({ record, confirming }: PosterFacts): string[] {
	if (record.deals_recorded === 0) return [];
	return [
		`The poster reports ${record.deals_paid} of ${counted(record.deals_recorded, "deal")} as paid.`,
		verified(record),
		received(confirming),
	];
}

/** Summarises a record for a task's page. */
export function describePoster(facts: PosterFacts): string {
	const { deals_recorded, deals_disputed, ended_without_deal } = facts.record;
	const others = [
		...(deals_disputed === 0 ? [] : [`${counted(deals_disputed, "deal")} disputed.`]),
		...(ended_without_deal === 0 ? [] : [`${counted(ended_without_deal, "task")} ended without a deal.`]),
	];
	return [...(deals_recorded === 0 ? ["No deals on public tasks so far."] : paymentRecord(facts)), ...others].join(" ");
}

function verified({ deals_verified: deals, verified_cents: cents, median_days_to_payment: days }: PosterRecord): string {
	if (deals === 0) return "No payment was seen on chain.";
	const wait = days === null ? "" : `, ${days < 1 ? "usually within a day" : `usually after ${counted(days, "day")}`}`;
	return `${counted(deals, "payment")}, ${formatCents(cents)} in total, seen on chain between two wallets${wait}. The platform does not know whether both belong to the same person.`;
}

function received({ agents, anonymous }: PosterFacts["confirming"]): string {
	if (agents === 0) return "No agent has confirmed a payment.";
	if (agents === 1) return anonymous === 1 ? "1 anonymous agent says it was paid." : "1 agent says it was paid.";
	return `${agents} agents say they were paid, ${anonymous === 0 ? "none" : anonymous} of them anonymous.`;
}

function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
