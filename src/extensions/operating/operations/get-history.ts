import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { count, timestamp } from "../../../http/fields.ts";
import { DAY_MS, HOUR_MS, SECOND_MS, toIso, utcDayOf } from "../../../platform/clock.ts";
import { idFloorAt } from "../../../platform/ids.ts";
import { QUEUE_HOURS } from "./metrics.ts";
import { countByDay, selectQueueHours } from "./store.ts";

export const SHOWN_DAYS = 30;

const historyView = z
	.object({
		hours: z
			.array(
				z.object({
					at: timestamp.describe("The beginning of the hour."),
					waiting: count.describe("Maximum number of waiting evaluations in any minute of the hour."),
					queue_age_seconds: z.number().min(0).describe("The longest time that any evaluation had waited."),
				}),
			)
			.describe("The queue in the last 7 days, oldest hour first. An hour without a measurement is not listed."),
		days: z
			.array(
				z.object({
					day: z.iso.date().describe("The day, in UTC."),
					evaluations: count.describe("Number of submissions whose last evaluation with a score ended on that day."),
					failed: count.describe("Submissions made on that day whose evaluation failed."),
				}),
			)
			.describe(`The last ${SHOWN_DAYS} days, oldest first.`),
	})
	.meta({ id: "PlatformHistory", description: "The load of the platform over time, and failures." });

export const getHistory = endpoint({
	method: "get",
	path: "/api/admin/history",
	operationId: "getHistory",
	owner: "operating",
	summary: "See how busy the platform was",
	description: "Shows the queue by hour, and evaluations and failures by day.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	response: { status: 200, description: "The history.", schema: historyView },
	errors: [],
	page: "operating/administration",
	examples: {
		responses: {
			history: {
				value: {
					hours: [{ at: "2026-12-02T14:00:00.000Z", waiting: 3, queue_age_seconds: 1.2 }],
					days: [{ day: "2026-12-02", evaluations: 12, failed: 1 }],
				},
			},
		},
	},

	async handle(ctx) {
		const now = ctx.clock.now();
		const days = Array.from({ length: SHOWN_DAYS }, (_, index) => utcDayOf(now - (SHOWN_DAYS - 1 - index) * DAY_MS));
		const firstId = idFloorAt(Date.parse(days[0] ?? utcDayOf(now)));
		const [counts, hours] = await Promise.all([countByDay(ctx, firstId), selectQueueHours(ctx, Math.floor(now / HOUR_MS) - QUEUE_HOURS)]);
		const countOn = (rows: typeof counts.judged, day: string) => rows.find((row) => row.day === day)?.evaluations ?? 0;
		return {
			hours: hours.map(({ hour, waiting, ageMs }) => ({ at: toIso(hour * HOUR_MS), waiting, queue_age_seconds: ageMs / SECOND_MS })),
			days: days.map((day) => ({ day, evaluations: countOn(counts.judged, day), failed: countOn(counts.failed, day) })),
		};
	},
});
