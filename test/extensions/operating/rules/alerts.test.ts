// Operators get messages at fixed limits, in the form of their receiver.
import { describe, expect, it } from "vitest";
import { alertReceiver } from "../../../../src/config/alert-receiver.ts";
import {
	type AlertFacts,
	D1_MAX_BYTES,
	findCauses,
	findWatchCauses,
	isExceeded,
	planAlerts,
	REPEAT_MS,
	type WatchFacts,
} from "../../../../src/extensions/operating/alerts/rules.ts";
import { formatAlert } from "../../../../src/extensions/operating/alerts/send-alerts.ts";

const QUIET: AlertFacts = {
	queueAgeSeconds: 599,
	stuckJobs: 0,
	deliveryAgeSeconds: 3_599,
	failures: { platform: 4, submission: 900, grader_error: 90 },
	spentMicroUsd: 799,
	dayCeilingMicroUsd: 1_000,
	isAtCeiling: false,
	wait: { seconds: 599, message: "The supplier cannot be reached." },
	d1Bytes: D1_MAX_BYTES / 2 - 1,
};
const causesOf = (change: Partial<AlertFacts>) => findCauses({ ...QUIET, ...change }).map(({ name }) => name);

describe("the causes of alerts", () => {
	it("are absent below every limit, for any number of submissions that fail by themselves", () => {
		expect(causesOf({})).toEqual([]);
		expect(causesOf({ dayCeilingMicroUsd: null, spentMicroUsd: 1e12 })).toEqual([]);
	});

	it("begin at the limits", () => {
		expect(causesOf({ queueAgeSeconds: 600 })).toEqual(["queue_age"]);
		expect(causesOf({ stuckJobs: 1 })).toEqual(["stuck_jobs"]);
		expect(causesOf({ wait: { seconds: 600, message: "The supplier cannot be reached." } })).toEqual(["judging_waits"]);
		expect(causesOf({ deliveryAgeSeconds: 3_600 })).toEqual(["delivery_age"]);
		expect(causesOf({ failures: { platform: 5 } })).toEqual(["failures"]);
	});

	it("include what is known without the database", () => {
		const watched = (change: Partial<WatchFacts>) =>
			findWatchCauses({ database: "works", serverErrors: 19, openSuppliers: [], ...change }).map(({ name }) => name);
		expect(watched({})).toEqual([]);
		expect(watched({ serverErrors: 20 })).toEqual(["server_errors"]);
		expect(watched({ database: "down" })).toEqual(["database_down"]);
		expect(watched({ database: "full" })).toEqual(["database_full"]);
		expect(watched({ openSuppliers: [{ name: "openai", since: 0 }] })).toEqual(["supplier_open"]);
	});

	it("have one name for each level of spending and of the database's size", () => {
		const spent = (spentMicroUsd: number) => causesOf({ spentMicroUsd, dayCeilingMicroUsd: 2_000 });
		expect([1_599, 1_600, 2_000, 5_000].map(spent)).toEqual([[], ["spend_80"], ["spend_100"], ["spend_100"]]);
		expect(causesOf({ isAtCeiling: true })).toEqual(["spend_100"]);
		const full = (percent: number) => causesOf({ d1Bytes: (D1_MAX_BYTES * percent) / 100 });
		expect([full(49), full(50), full(75), full(89), full(90), full(100)]).toEqual([
			[],
			["d1_size_50"],
			["d1_size_75"],
			["d1_size_75"],
			["d1_size_90"],
			["d1_size_90"],
		]);
	});
});

describe("a level that is over", () => {
	it("is not reported while a higher one of the same cause lasts", () => {
		expect(isExceeded("spend_80", ["queue_age", "spend_100"])).toBe(true);
		expect(isExceeded("d1_size_50", ["spend_100", "d1_size_90"])).toBe(true);
		expect(isExceeded("spend_100", ["spend_80"])).toBe(false);
		expect(isExceeded("spend_80", ["d1_size_90"])).toBe(false);
		expect(isExceeded("spend_80", [])).toBe(false);
		expect(isExceeded("queue_age", ["spend_100"])).toBe(false);
	});
});

describe("the messages that are due", () => {
	const NOW = 2 * REPEAT_MS;
	const cause = (name: string) => ({ name, text: `About ${name}.` });
	const told = (name: string, toldAt: number) => ({ ...cause(name), toldAt });
	const plan = (known: Parameters<typeof planAlerts>[0], names: readonly string[], among: readonly string[] | null = null) => {
		const { raised, ended, over } = planAlerts(known, { causes: names.map(cause), among, now: NOW });
		return { raised: raised.map(({ name }) => name), ended: ended.map(({ name }) => name), over };
	};

	it("are those of new causes, and of those that have lasted for another hour", () => {
		expect(plan([], ["a"])).toEqual({ raised: ["a"], ended: [], over: [] });
		expect(plan([told("a", NOW - REPEAT_MS + 1)], ["a"])).toEqual({ raised: [], ended: [], over: [] });
		expect(plan([told("a", NOW - REPEAT_MS)], ["a"])).toEqual({ raised: ["a"], ended: [], over: [] });
	});

	it("include the end of a cause only if someone was told of it", () => {
		expect(plan([told("a", NOW), told("b", 0)], [])).toEqual({ raised: [], ended: ["a"], over: ["a", "b"] });
		expect(plan([told("spend_80", NOW)], ["spend_100"])).toEqual({ raised: ["spend_100"], ended: [], over: ["spend_80"] });
	});

	it("keep causes that could not be looked at", () => {
		expect(plan([told("queue_age", NOW), told("server_errors", NOW)], ["database_down"], ["database_down", "server_errors"])).toEqual({
			raised: ["database_down"],
			ended: ["server_errors"],
			over: ["server_errors"],
		});
	});
});

describe("the message of an alert", () => {
	const message = { id: "01", cause: "queue_age", text: "Submissions wait.", isRaised: true, at: 0, platform: "https://bounties.example" };
	const formOf = (url: string) => alertReceiver.parse(url).form;

	it("has the form of its receiver", () => {
		expect(formatAlert(message, formOf("https://hooks.slack.com/services/T/B/x"))).toEqual({
			text: "Submissions wait. (https://bounties.example)",
		});
		expect(formatAlert({ ...message, isRaised: false }, formOf("https://discord.com/api/webhooks/1/x"))).toEqual({
			content: "Over: Submissions wait. (https://bounties.example)",
			allowed_mentions: { parse: [] },
		});
		expect(
			formatAlert({ ...message, isRaised: false, platform: null }, formOf("https://alerts.example/discord.com/api/webhooks/")),
		).toEqual({
			event: "alert.ended",
			id: "01",
			timestamp: "1970-01-01T00:00:00.000Z",
			cause: "queue_age",
			text: "Submissions wait.",
			platform: null,
		});
	});

	it("is sent to a URL only", () => {
		for (const wrong of ["", "operators", "mailto:a@example.com"]) expect(alertReceiver.safeParse(wrong).success).toBe(false);
	});
});
