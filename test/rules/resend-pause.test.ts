import { expect, it } from "vitest";
import { resendPause } from "../../src/compose/resend-pause.ts";

it.each([
	[0, 7_500, 15_000],
	[15_000, 7_500, 15_000],
	[60_000, 30_000, 60_000],
	[600_000, 150_000, 300_000],
])("cards that are owed for %d ms are sent again after %d to %d ms", (owedForMs, shortest, longest) => {
	expect(resendPause({ owedForMs, random: 0 })).toBe(shortest);
	expect(resendPause({ owedForMs, random: 1 })).toBe(longest);
});

it("an outage of an hour costs a task some twenty tries, not 240", () => {
	let [tries, owedForMs] = [0, 0];
	for (; owedForMs < 3_600_000; tries += 1) owedForMs += resendPause({ owedForMs, random: 0.5 });
	expect(tries).toBeLessThan(25);
});
