// Reading and setting the switches; the feature `switches` lets the rest of the platform read them.
import type { z } from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { SWITCHES } from "../../../domain/switches.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { revisionOf, toSwitches } from "../../identity/switches/service.ts";
import { auditEntry } from "./audit.ts";
import type { switchesRequest } from "./schemas.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** The switches as the database has them now. */
export async function readSwitches(ctx: AdminCtx) {
	ctx.db.refresh();
	return toSwitches(await store.selectSwitches(ctx));
}

/** Sets some of the switches. Two operators at once set theirs one after the other. */
export function setSwitches(ctx: AdminCtx, { reason, ...change }: z.output<typeof switchesRequest>) {
	return decideAndCommit(ctx.db, async () => {
		ctx.db.refresh();
		const rows = await store.selectSwitches(ctx);
		const before = toSwitches(rows);
		const after = { ...before };
		const names = SWITCHES.filter((name) => change[name] !== undefined);
		for (const name of names) after[name] = change[name] ?? before[name];
		const messages = names.map((name) => after[name].message).filter((message) => message !== "");
		const audit = auditEntry(ctx, {
			action: "switches.set",
			target: "switches",
			reason: reason ?? (messages.join(" ") || "No reason given."),
			before,
			after,
		});
		await commit(ctx.db, [
			...names.flatMap((name) => {
				const revision = rows.find((row) => row.name === name)?.revision ?? 0;
				return [
					statements.guardSwitch(ctx, name, revision),
					statements.upsertSwitch(ctx, { name, isOn: after[name].on, message: after[name].message, revision: revision + 1 }),
				];
			}),
			audit.statement,
		]);
		ctx.switchboard.note({ switches: after, revision: revisionOf(rows) + names.length, readAt: ctx.clock.now() });
		return after;
	});
}
