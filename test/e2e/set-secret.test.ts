// A secret is checked before it is sent, because it takes effect at once.
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ROOT } from "../../scripts/support/wrangler.ts";
import { runCommandLine } from "../support/commands.ts";

/** Without an account, wrangler sends nothing. */
const run = (args: readonly string[], input: string) =>
	runCommandLine([process.execPath, "--js-base-64", join(PROJECT_ROOT, "scripts", "set-secret.ts"), ...args], {
		env: { CLOUDFLARE_API_TOKEN: "", CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:1" },
		input,
	});

it.each([
	[["ALERT_WEBHOOK", "--env", "staging"], "hooks.example/secret", /Nothing was sent\. ALERT_WEBHOOK: /],
	[["SECRETS_KEY", "--env", "production"], "short", /Nothing was sent\. SECRETS_KEY: must be base64/],
	[["JUDGE_API_KEY"], " \n", /Nothing was sent\. JUDGE_API_KEY: is empty/],
	[["JUDGE_API_KEYS"], "key", /The platform has no setting JUDGE_API_KEYS/],
	[[], "key", /Name one setting/],
])("set-secret %j refuses what the Worker would refuse, without showing it", async (args, input, message) => {
	const { code, stdout, stderr } = await run(args, input);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toMatch(message);
	expect(stderr).not.toContain(input.trim() || "never");
});

it("set-secret asks wrangler to store a valid value", async () => {
	const { code, stderr } = await run(["ALERT_WEBHOOK", "--env", "staging"], "https://hooks.example/1");
	expect(code).toBe(1);
	expect(stderr).not.toContain("Nothing was sent");
	expect(stderr).toMatch(/wrangler|CLOUDFLARE_API_TOKEN|account/i);
});
