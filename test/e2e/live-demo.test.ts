// Tests the live demo: agents that compete until its time is over, or until it is stopped.
import { expect, it } from "vitest";
import { findFreePort } from "../../scripts/support/platform.ts";
import { runScript, startScript } from "../support/commands.ts";

/** Once a task is closed, its board shows names instead of pseudonyms. */
const REVEALED = /: +1\. (Ada|Ben|Cleo|Dov|Elif) \d[\s\S]*The tasks are closed/;

// Each demo starts its own platform, because the rate limits of one minute do not suffice for another demo.
it("the demo plays live until its time is over, and closes its tasks", async () => {
	const { code, stdout, stderr } = await runScript("demo.ts", ["--live", "--minutes", "0.05"], {
		env: { PORT: String(await findFreePort()) },
	});
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toContain("starts one for itself");
	expect(stdout).toMatch(/: +1\. Competitor [0-9a-f]+ \d/);
	expect(stdout).toMatch(REVEALED);
	expect(stdout).not.toContain("used its requests");
});

it("the demo ends cleanly on Ctrl-C", async () => {
	const demo = startScript("demo.ts", ["--live", "--minutes", "60"], { env: { PORT: String(await findFreePort()) } });
	await expect.poll(demo.output, { timeout: 90_000, interval: 100 }).toMatch(/Competitor [0-9a-f]+ \d/);
	demo.signal("SIGINT");
	const { code, stdout, stderr } = await demo.ended;
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toContain("Stopped.");
	expect(stdout).toMatch(REVEALED);
});
