// Operators get messages at fixed limits, in the form of their receiver.
import { describe, expect, it } from "vitest";
import { alertReceiver } from "../../src/config/alert-receiver.ts";
import { type AlertFacts, D1_MAX_BYTES, findCauses, isExceeded } from "../../src/extensions/operating/alerts/rules.ts";
import { formatAlert } from "../../src/extensions/operating/alerts/send-alerts.ts";

const QUIET: AlertFacts = {
	queueAgeSeconds: 599,
	stuckJobs: 0,
	deliveryAgeSeconds: 3_599,
	failures: { platform: 4, submission: 900, grader_error: 90 },
	serverErrors: 19,
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
		expect(causesOf({ serverErrors: 20 })).toEqual(["server_errors"]);
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
