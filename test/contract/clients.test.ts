// The pages show what `npm run clients` has recorded.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { pageOf, readResults, withTable } from "../../scripts/clients/results.ts";
import versions from "../../scripts/clients/versions.json" with { type: "json" };

it.each(["generator", "framework"] as const)("the table of each %s has the recorded results", async (kind) => {
	const page = await readFile(pageOf(kind), "utf8");
	expect(withTable(page, kind, await readResults()) === page).toBe(true);
});

it("the results are of the versions that the command installs", async () => {
	const known = Object.values(versions).flatMap((each) => Object.values(each).map((version) => version.replace(/^v/, "")));
	const results = await readResults();
	expect(results.length).toBeGreaterThan(0);
	expect(results.filter(({ tool }) => !known.includes(tool.split(" ").at(-1) ?? "")).map(({ name }) => name)).toEqual([]);
});
