// Changing the ceilings of spending while the platform runs. The feature `spend` holds them.
import type * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import {
	applyCeilingChanges,
	CEILINGS,
	type CeilingChanges,
	type CeilingName,
	type SpendCeiling,
	type SpendSettings,
} from "../../../domain/spend.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { forgetCeilings } from "../../competition/spend/service.ts";
import { auditEntry } from "../admin/audit.ts";
import type { ceilingsRequest } from "./schemas.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const MICRO_USD = 1_000_000;

type Body = z.output<typeof ceilingsRequest>;
type Wanted = number | null | "configured" | undefined;

/** Sets some of the ceilings. Two operators at once set theirs one after the other. */
export function setCeilings(ctx: AdminCtx, { reason, ...body }: Body) {
	const wanted = toChanges(body);
	return decideAndCommit(ctx.db, async () => {
		ctx.db.refresh();
		const rows = await store.selectCeilings(ctx);
		const before: CeilingChanges = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
		const after: CeilingChanges = Object.fromEntries(
			CEILINGS.flatMap((name) => {
				const value = wanted[name] === undefined ? before[name] : wanted[name];
				return value === undefined || value === "configured" ? [] : [[name, value]];
			}),
		);
		const audit = auditEntry(ctx, { action: "ceilings.set", target: "ceilings", reason, before, after });
		await commit(ctx.db, [...statements.replaceCeilings(ctx, before, after), audit.statement]);
		forgetCeilings();
		return { ceilings: viewCeilings(applyCeilingChanges(ctx.config.spend, after)), audit_id: audit.id };
	});
}

function toChanges(body: Omit<Body, "reason">): Readonly<Partial<Record<CeilingName, Wanted>>> {
	const toMicro = (usd: Wanted): Wanted => (typeof usd === "number" ? Math.round(usd * MICRO_USD) : usd);
	return {
		task_tokens: body.task?.tokens,
		task_micro_usd: toMicro(body.task?.usd),
		task_budget_percent: body.task_budget_percent,
		poster_day_tokens: body.poster_day?.tokens,
		poster_day_micro_usd: toMicro(body.poster_day?.usd),
		deployment_day_tokens: body.deployment_day?.tokens,
		deployment_day_micro_usd: toMicro(body.deployment_day?.usd),
	};
}

/** The ceilings as operators read them. */
export function viewCeilings({ task, taskBudgetPercent, posterDay, deploymentDay }: SpendSettings) {
	return {
		task: viewCeiling(task),
		task_budget_percent: taskBudgetPercent,
		poster_day: viewCeiling(posterDay),
		deployment_day: viewCeiling(deploymentDay),
	};
}

function viewCeiling({ tokens, costMicroUsd }: SpendCeiling) {
	return { tokens, usd: costMicroUsd === null ? null : costMicroUsd / MICRO_USD };
}
