import * as z from "zod";
import { revisionOf, toSwitches } from "../../../core/identity/switches/service.ts";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { SWITCHES } from "../../../domain/switches.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { text } from "../../../http/fields.ts";
import { auditEntry, reason } from "./audit-entry.ts";
import { guardSwitch, upsertSwitch } from "./statements.ts";
import { selectSwitches } from "./store.ts";
import { exampleSwitches, MEANINGS, switchesView, viewSwitches } from "./switches.ts";

const switchInput = z
	.object({
		on: z.boolean().describe("False switches the function off."),
		message: text({ max: 500 }).default("").describe("Text added to the message that callers get while the switch is off."),
	})
	.meta({ id: "SwitchInput", description: "A switch to set." });

const switchesRequest = z
	.object({
		registration: switchInput.optional().describe(MEANINGS.registration),
		submissions: switchInput.optional().describe(MEANINGS.submissions),
		judging: switchInput.optional().describe(MEANINGS.judging),
		writes: switchInput.optional().describe(MEANINGS.writes),
		reason: reason.optional().describe("The reason, for the audit log. Default: the messages of the switches."),
	})
	.refine((body) => SWITCHES.some((name) => body[name] !== undefined), { path: [], message: "name at least one switch" })
	.meta({
		id: "SwitchesRequest",
		description: "The switches to set. The others stay as they are.",
		adds: { anyOf: SWITCHES.map((name) => ({ required: [name] })) },
	});

export const setSwitches = endpoint({
	method: "put",
	path: "/api/admin/switches",
	operationId: "setSwitches",
	owner: "operating",
	summary: "Switch functions of the platform off, or on again",
	description:
		"Endpoints that depend on a switch that is off return 503 `SERVICE_PAUSED` with Retry-After. The error's message includes the switch's text. A change takes effect within 10 seconds.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: switchesRequest, required: true },
	response: { status: 200, description: "The switches after the change.", schema: switchesView },
	errors: ["CONFLICT"],
	page: "operating/administration",
	examples: {
		bodies: { pause: { value: { judging: { on: false, message: "The model is away until noon." }, reason: "The provider is down." } } },
		responses: { paused: { value: exampleSwitches } },
	},

	// If two operators act at the same time, their changes are applied one after the other.
	handle: (ctx, { body: { reason: given, ...change } }) =>
		decideAndCommit(ctx.db, async () => {
			ctx.db.refresh();
			const rows = await selectSwitches(ctx);
			const before = toSwitches(rows);
			const after = { ...before };
			const names = SWITCHES.filter((name) => change[name] !== undefined);
			for (const name of names) {
				const { on, message } = change[name] ?? before[name];
				after[name] = { on, message, since: on ? null : (before[name].since ?? ctx.clock.now()) };
			}
			const messages = names.map((name) => after[name].message).filter((message) => message !== "");
			const audit = auditEntry(ctx, {
				action: "switches.set",
				target: "switches",
				reason: given ?? (messages.join(" ") || "No reason given."),
				before: viewSwitches(before),
				after: viewSwitches(after),
			});
			await commit(ctx.db, [
				...names.flatMap((name) => {
					const revision = rows.find((row) => row.name === name)?.revision ?? 0;
					const { on, message, since } = after[name];
					return [guardSwitch(ctx, name, revision), upsertSwitch(ctx, { name, isOn: on, message, since, revision: revision + 1 })];
				}),
				audit.statement,
			]);
			ctx.switchboard.note({ switches: after, revision: revisionOf(rows) + names.length, readAt: ctx.clock.now() });
			return viewSwitches(after);
		}),
});
