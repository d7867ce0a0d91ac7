// Tests how a deal is told: its four steps, whose turn it is, what is known of its money, and of the score behind it.
import { describe, expect, it } from "vitest";
import { describeFee, describeScore, describeTerms, describeTurn, namesFor } from "../../console/src/rules/deals.ts";
import { DEAL_TRANSITIONS, type DealAction, type DealStatus } from "../../src/domain/deal-status.ts";
import { formatUnits, lineOf, type ToldDeal, tellMoney } from "../../src/domain/deal-story.ts";

const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
const ACTORS = { recorded: "poster", paid: "poster", address_shown: "platform", payment_verified: "platform" } as const;

/** Returns a deal with these entries, one an hour from noon on. */
function dealWith(actions: readonly DealAction[], change: Partial<ToldDeal> = {}): ToldDeal {
	const history = actions.map((action, index) => ({
		at: `2026-12-09T${String(12 + index)}:00:00.000Z`,
		actor: action in ACTORS ? ACTORS[action as keyof typeof ACTORS] : ("agent" as const),
		action,
		note: null,
		address: action === "address_shown" ? ADDRESS : null,
	}));
	const status = actions.findLast((action): action is DealStatus => action !== "address_shown" && action !== "payment_verified");
	const payment = { payment_reference: null, payment_verified: null, payment_on_its_way: false, payment_note: null, seen_on_chain: null };
	return { status: status ?? "recorded", ...payment, history, ...change };
}

const seen = { amount_atomic: "1350000000", address: ADDRESS, chain: "base", at: "2026-12-09T11:00:00.000Z" } as const;

describe("the line of a deal", () => {
	const statesOf = (actions: readonly DealAction[]) => lineOf(dealWith(actions)).steps.map(({ state }) => state);

	it.each([
		[["recorded"], ["done", "next", "later", "later"], "agent"],
		[["recorded", "accepted"], ["done", "done", "next", "later"], "poster"],
		[["recorded", "accepted", "paid"], ["done", "done", "done", "next"], "agent"],
		[["recorded", "paid"], ["done", "skipped", "done", "next"], "agent"],
		[["recorded", "accepted", "paid", "payment_verified", "received"], ["done", "done", "done", "done"], null],
		[["recorded", "declined"], ["done", "never", "never", "never"], null],
		[["recorded", "accepted", "disputed"], ["done", "done", "never", "never"], null],
		[["recorded", "paid", "disputed", "payment_verified"], ["done", "skipped", "done", "never"], null],
	] satisfies [DealAction[], string[], string | null][])("after %j is %j, and then it is the turn of %s", (actions, states, party) => {
		expect(statesOf(actions)).toEqual(states);
		expect(lineOf(dealWith(actions)).turn?.party ?? null).toBe(party);
	});

	it("says since when it is whose turn, from the reader's side", () => {
		const line = lineOf(dealWith(["recorded", "address_shown", "accepted"]));
		expect(line.turn).toEqual({ party: "poster", since: "2026-12-09T14:00:00.000Z" });
		expect(describeTurn(line, "poster")).toMatch(/^It has been your turn since 9 Dec 2026, /);
		expect(describeTurn(line, "agent")).toMatch(/^It has been the poster's turn since 9 Dec 2026, /);
		expect(describeTurn(lineOf(dealWith(["recorded", "declined"])), "agent")).toBeNull();
	});

	it("says who ended a deal before its last step", () => {
		expect(lineOf(dealWith(["recorded", "declined"])).end).toEqual({ action: "declined", by: "agent", at: "2026-12-09T13:00:00.000Z" });
		expect(lineOf(dealWith(["recorded", "accepted", "disputed"])).end).toMatchObject({ action: "disputed", by: "agent" });
		expect(lineOf(dealWith(["recorded", "accepted", "paid", "received"])).end).toBeNull();
	});

	it("gives each turn to a party that can take the step", () => {
		const next = { recorded: "accept", accepted: "pay", paid: "confirm" } as const;
		for (const [status, step] of Object.entries(next)) {
			const actions = ["recorded", "accepted", "paid"] as const;
			const line = lineOf(dealWith(actions.slice(0, actions.findIndex((action) => action.startsWith(status)) + 1)));
			expect(DEAL_TRANSITIONS[step].by).toContain(line.turn?.party);
		}
	});
});

describe("what is known of the money", () => {
	const paid = ["recorded", "accepted", "paid"] as const;
	const told = (deal: ToldDeal) =>
		tellMoney(deal)
			.map((sentence) => sentence.replace(/ on \d.* UTC/, " on …").replace(/of \d.*\./, "of …."))
			.join(" ");

	it("is nothing before the poster reports a payment", () => {
		expect(tellMoney(dealWith(["recorded", "accepted"]))).toEqual([]);
	});

	it("names who says it", () => {
		const note = "The reference is not the hash of a transaction, so the platform cannot look it up.";
		expect(told(dealWith(paid, { payment_note: note }))).toMatch(
			/^The poster reported the payment .* The platform has not seen the payment on a chain\. The reference is .* The agent has not confirmed that the money arrived\.$/,
		);
		expect(told(dealWith([...paid, "received"]))).toMatch(/The agent confirmed .* that the money arrived\.$/);
		expect(tellMoney(dealWith([...paid, "received"]), namesFor("agent")).at(-1)).toMatch(/^You confirmed /);
		expect(tellMoney(dealWith(paid), namesFor("agent")).at(-1)).toBe("You have not confirmed that the money arrived.");
	});

	it("is on its way until its block is final, and then the chain shows it", () => {
		expect(told(dealWith(paid, { payment_on_its_way: true, payment_note: "Block 5." }))).toContain(
			"The payment is on its way: the chain shows it in a block that is not final yet.",
		);
		const verified = dealWith(paid, { payment_verified: true, seen_on_chain: seen });
		expect(told(verified)).toContain(`The chain shows 1,350 USDC to ${ADDRESS} on Base, in a block of`);
		const refuted = dealWith(paid, { payment_verified: false, payment_note: "The transaction failed, so it moved no money." });
		expect(told(refuted)).toContain(
			"The chain shows something other than the reported payment. The transaction failed, so it moved no money.",
		);
	});

	it("is said from both sides after a dispute", () => {
		const disputed = dealWith([...paid, "disputed", "payment_verified"], {
			status: "disputed",
			payment_verified: true,
			seen_on_chain: seen,
		});
		const sentences = tellMoney(disputed);
		expect(sentences[0]).toMatch(/^The agent disputed the deal on 9 Dec 2026/);
		expect(sentences).toContainEqual(expect.stringMatching(/^The chain shows 1,350 USDC to 0x/));
	});

	it("writes amounts with as many decimals as they need", () => {
		expect(["1350000000", "90004711", "500000", "1", "1234567890000"].map(formatUnits)).toEqual([
			"1,350",
			"90.004711",
			"0.50",
			"0.000001",
			"1,234,567.89",
		]);
	});
});

describe("the fee", () => {
	const terms = { deal_value_cents: 150_000, platform_fee_cents: 15_000 };

	it("is said before a deal is recorded, with who charges it", () => {
		expect(describeTerms(terms, "Ada")).toBe("Of $1,500, Ada would get $1,350.");
		expect(describeFee(terms, "poster")).toContain("charges you the fee of $150 outside of the platform");
		expect(describeFee(terms, "agent")).toContain("charges the poster the fee");
	});

	it("is not mentioned in a deployment without one", () => {
		const free = { ...terms, platform_fee_cents: 0 };
		expect([describeTerms(free, "Ada"), describeFee(free, "poster")]).toEqual(["Ada would get $1,500.", null]);
	});
});

describe("the score behind a deal", () => {
	const final_at = "2026-12-11T17:00:00.000Z";
	const at = (time: string) => Date.parse(time);

	it("can rise until two moments, and the deal stays", () => {
		const open = describeScore({ final_at, score_changed: null }, "agent", at("2026-12-10T00:00:00Z"));
		expect(open).toEqual([
			expect.stringMatching(/^You may appeal against the score until 11 Dec 2026/),
			expect.stringMatching(/^A review may raise the score until 22 Dec 2026/),
			"Neither an appeal nor a review changes this deal.",
		]);
		expect(describeScore({ final_at, score_changed: null }, "poster", at("2026-12-12T00:00:00Z"))[0]).toMatch(/^The agent could appeal/);
		expect(describeScore({ final_at, score_changed: null }, "poster", at("2026-12-23T00:00:00Z"))[1]).toMatch(/^A review could raise/);
		expect(describeScore({ final_at: null, score_changed: null }, "poster", 0)[0]).toMatch(/^The final round of the task is running\./);
	});

	it("says what a review has changed", () => {
		const changed = { from: 54.2, to: 70, at: "2026-12-10T10:00:00.000Z" };
		expect(describeScore({ final_at, score_changed: changed }, "poster", 0).join(" ")).toMatch(
			/A review on 10 Dec 2026, .* raised the score from 54\.20 to 70\.00\. Neither an appeal nor a review changes this deal\.$/,
		);
	});
});
