// Tests the demo on a platform of its own, to its end and when it is stopped.
import { expect, it } from "vitest";
import { findFreePort } from "../../scripts/support/platform.ts";
import { runScript, startScript } from "../support/commands.ts";

/** Once a task is closed, its board shows names instead of pseudonyms. */
const REVEALED = /: +1\. (Otter|Quill) \d[\s\S]*reveals who is who[\s\S]*Rank +Agent +Score/;

// Each demo starts its own platform, because the rate limits of one minute do not suffice for another demo.
it("the demo tells its story: the one that starts late wins, and no two scores are equal", async () => {
	const { code, stdout, stderr } = await runScript("demo.ts", ["--minutes", "0.05"], { env: { PORT: String(await findFreePort()) } });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toContain("so the demo starts one");
	expect(stdout).toMatch(/: +1\. Competitor [0-9a-f]+ \d/);
	expect(stdout).toMatch(REVEALED);
	const scores = [...stdout.matchAll(/^ +\d +\w+ +(\d+\.\d\d)$/gm)].map(([, score]) => Number(score));
	expect(scores).toHaveLength(5);
	expect(new Set(scores).size).toBe(5);
	expect(stdout).not.toContain("used its requests");
});

it("the demo ends cleanly on Ctrl-C", async () => {
	const demo = startScript("demo.ts", ["--minutes", "60"], { env: { PORT: String(await findFreePort()) } });
	await expect.poll(demo.output, { timeout: 90_000, interval: 100 }).toMatch(/Competitor [0-9a-f]+ \d/);
	demo.signal("SIGINT");
	const { code, stdout, stderr } = await demo.ended;
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toContain("Stopped.");
	expect(stdout).toMatch(REVEALED);
});
