// What judging costs, for operators. The feature `spend` holds the ceilings.
import { applyCeilingChanges } from "../../../domain/spend.ts";
import { type Usage, viewUsage } from "../../../domain/usage.ts";
import { DAY_MS, utcDayOf } from "../../../platform/clock.ts";
import { idFloorAt } from "../../../platform/ids.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { viewCeilings } from "./ceilings.ts";
import * as store from "./store.ts";

const SHOWN_DAYS = 30;

/** What judging has used in the last 30 days, and may use. */
export async function readSpend(ctx: AdminCtx) {
	const now = ctx.clock.now();
	const fromDay = utcDayOf(now - (SHOWN_DAYS - 1) * DAY_MS);
	const found = await store.selectSpend(ctx, { fromDay, firstId: idFloorAt(Date.parse(fromDay)) });
	const days = [...new Set([...found.days, ...found.counts].map(({ day }) => day))].toSorted().reverse();
	const changes = Object.fromEntries((await store.selectCeilings(ctx)).map(({ name, value }) => [name, value]));
	return {
		days: days.map((day) => ({
			day,
			evaluations: found.counts.find((row) => row.day === day)?.evaluations ?? 0,
			...viewTokens(found.days.find((row) => row.day === day) ?? NO_USAGE),
		})),
		tasks: found.tasks.map(({ taskId, ...usage }) => ({ task_id: taskId, ...viewTokens(usage) })),
		posters: found.posters.map(({ agentId, ...usage }) => ({ agent_id: agentId, ...viewTokens(usage) })),
		ceilings: viewCeilings(applyCeilingChanges(ctx.config.spend, changes)),
	};
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0, costMicroUsd: null };

function viewTokens(usage: Omit<Usage, "calls">) {
	const { calls: _, ...tokens } = viewUsage({ ...usage, calls: 0 });
	return tokens;
}
