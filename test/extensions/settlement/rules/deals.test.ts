import fc from "fast-check";
import { getAddress } from "viem/utils";
import { describe, expect, it } from "vitest";
import { CHAINS, PAYOUT_CHAINS } from "../../../../src/domain/chains.ts";
import { feeCents } from "../../../../src/domain/fees.ts";
import { readTransaction } from "../../../../src/extensions/settlement/rules.ts";
import { formatUsdc } from "../../../../src/extensions/settlement/usdc-payment.ts";

describe("the platform's fee", () => {
	it.each([
		[0, 1000, 0],
		[100, 1000, 10],
		[104, 1000, 10],
		[105, 1000, 11],
		[115, 1000, 12],
		[4, 1000, 0],
		[5, 1000, 1],
		[12_345, 0, 0],
		[12_345, 10_000, 12_345],
		[1_000_000_000_000, 9_999, 999_900_000_000],
		[333, 250, 8],
	])("of %i cents at %i basis points is %i", (value, bps, fee) => {
		expect(feeCents(value, bps)).toBe(fee);
	});

	it("is the whole number nearest to the exact share, halves up", () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), fc.integer({ min: 0, max: 10_000 }), (value, bps) => {
				const error = BigInt(feeCents(value, bps)) * 10_000n - BigInt(value) * BigInt(bps);
				expect(error > -5_000n && error <= 5_000n).toBe(true);
			}),
		);
	});
});

describe("the chains", () => {
	it("have USDC at contract addresses with a right checksum, each its own", () => {
		const addresses = PAYOUT_CHAINS.map((chain) => CHAINS[chain].usdc);
		expect(addresses.map((address) => getAddress(address))).toEqual(addresses);
		expect(new Set(addresses).size).toBe(PAYOUT_CHAINS.length);
		expect(PAYOUT_CHAINS.map((chain) => CHAINS[chain].id)).toEqual([8453n, 10n, 42_161n, 1n]);
	});
});

describe("amounts of USDC", () => {
	it.each([
		[0n, "0.00"],
		[1n, "0.000001"],
		[90_000_000n, "90.00"],
		[1_234_500_000n, "1234.50"],
		[1_234_567_890n, "1234.56789"],
	])("%i units are %s", (units, text) => {
		expect(formatUsdc(units)).toBe(text);
	});
});

describe("a reference", () => {
	it("is a transaction if it is 0x and 64 hex digits", () => {
		const hash = `0x${"aB".repeat(32)}`;
		expect(readTransaction(hash)).toBe(hash.toLowerCase());
		for (const other of [hash.slice(2), `${hash}0`, hash.slice(0, -1), ` ${hash}`, `0x${"g".repeat(64)}`, `${hash}\n`]) {
			expect(readTransaction(other)).toBeNull();
		}
	});
});
