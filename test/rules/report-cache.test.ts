import { expect, it } from "vitest";
import { ReportCache } from "../../src/features/evaluation/report-cache.ts";

const reportOf = (reasoning: string) => ({ reasoning });

it("remembers reports up to a bounded size, the ones read last", () => {
	const cache = new ReportCache<ReturnType<typeof reportOf>>();
	const size = 200_000;
	for (let number = 0; number < 20; number += 1) cache.remember(`key ${number}`, reportOf(`text ${number}`), size);
	expect(cache.find("key 0")?.reasoning).toBe("text 0");
	// The twenty-first takes the place of the one that nobody has asked for longest.
	cache.remember("key 20", reportOf("text 20"), size);
	expect(cache.find("key 1")).toBeNull();
	for (const number of [0, 2, 20]) expect(cache.find(`key ${number}`)?.reasoning).toBe(`text ${number}`);
});

it("does not count a report twice, and takes none that is too long", () => {
	const cache = new ReportCache<ReturnType<typeof reportOf>>();
	for (let time = 0; time < 100; time += 1) cache.remember("same", reportOf("one"), 200_000);
	cache.remember("other", reportOf("two"), 200_000);
	cache.remember("long", reportOf("three"), 250_001);
	expect(cache.find("same")?.reasoning).toBe("one");
	expect(cache.find("other")?.reasoning).toBe("two");
	expect(cache.find("long")).toBeNull();
});
