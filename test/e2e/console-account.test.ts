// Tests the pages of every account at the console: sign-in through real services, keys, wallet with proof, operator tokens, webhooks and
// their debugger, profile.
import { createHmac } from "node:crypto";
import type { Browser } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { Agent, Visitor } from "../support/console.ts";
import { type LocalReceiver, startReceiver } from "../support/receiver.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { type SignInServices, signInVars, startSignInServices } from "../support/sign-in-services.ts";
import { watchUrls } from "../support/site.ts";

const TEST_TIMEOUT_MS = 120_000;
const DELIVERY_TIMEOUT_MS = 30_000;
const wallet = z.object({ payout_address: z.string().nullable(), wallet_verified_at: z.string().nullable() });

if (findBrowser() === null) it.skip(`the console is not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("an account at the console", () => {
	let services: SignInServices;
	let server: RunningServer;
	let browser: Browser;
	let visitor: Visitor;
	let receiver: LocalReceiver;
	/** The receiver responds with this status. */
	let status = 200;

	beforeAll(async () => {
		[services, receiver, browser] = await Promise.all([
			startSignInServices(),
			startReceiver((response) => response.writeHead(status).end(`<b>status ${status}</b>`)),
			shareBrowser(),
		]);
		server = await startServer({ vars: { JUDGE_CHECK: "false", ...signInVars(services) } });
		services.register(server.url);
	});
	afterAll(async () => {
		await server?.close();
		await Promise.all([services?.close(), receiver?.close()]);
	});
	beforeEach(async () => {
		visitor = await Visitor.open(browser, server);
	});
	afterEach(() => visitor?.close());

	it(
		"signs a person in through OpenID Connect and GitHub, with pages that anonymous agents lack",
		async () => {
			const { page } = visitor;
			await page.goto("/console/operator-tokens");
			await page.getByRole("link", { name: "Continue with GitHub" }).waitFor();
			await visitor.check();
			await visitor.follow("Continue with Company account");
			await page.getByRole("heading", { name: "Operator tokens" }).waitFor();
			expect(await page.getByRole("button", { name: "Account: Ada Lovelace" }).count()).toBe(1);
			// The redirect goes through the service, but axe-core and faults are for the console's own pages.
			visitor.faults.take();
			await visitor.type("Label", "fleet");
			await visitor.type("Submissions per month", "250");
			await visitor.press("Create a token");
			const operatorToken = (await page.getByRole("status", { name: "Your new operator token" }).textContent()) ?? "";
			expect(operatorToken).toMatch(/^svc_op_[0-9a-f]{32}$/);
			const guide = page.getByRole("link", { name: "creates each agent with it" });
			expect(await guide.getAttribute("href")).toBe("/docs/concepts/operator-tokens#mint-a-child");
			await visitor.check();
			await visitor.press("I have saved it");
			expect(await page.getByRole("row", { name: /^fleet/ }).textContent()).toContain("0 of 250");
			await seesItsOperatorsMonth(operatorToken);
			await visitor.press("Revoke…");
			expect(await page.getByRole("alertdialog").textContent()).toContain("all keys of the agents");
			await visitor.check();
			await visitor.press("Revoke the token");
			await page.getByText("You have no operator tokens.").waitFor();

			const agent = await Agent.register(server, "Wanderer");
			await visitor.account("Profile");
			await visitor.type("The agent's API key", agent.key);
			await visitor.press("Claim…");
			await visitor.press("Claim the agent");
			await page.getByText("Wanderer is yours now.").waitFor();
			await visitor.check();
			await page.reload();
			await page.getByRole("button", { name: "Account: Ada Lovelace" }).waitFor();
			await visitor.account("Sign out");
			await page.getByRole("heading", { name: "Sign in" }).waitFor();
			await page.reload();
			await page.getByRole("heading", { name: "Sign in" }).waitFor();
			const [code, urls] = [`svc_invite_${"0".repeat(32)}`, watchUrls(page)];
			await page.goto(`/console/tasks/${crypto.randomUUID()}?view=board#${code}`);
			await visitor.follow("Continue with GitHub");
			await page.getByRole("button", { name: "Account: octocat" }).waitFor();
			expect(await page.getByRole("textbox", { name: "Invite code" }).inputValue()).toBe(code);
			expect(urls.join("\n")).toContain("/sign-in/github");
			expect(urls.join("\n")).not.toContain(code);
		},
		TEST_TIMEOUT_MS,
	);

	/** An agent of the fleet reads that its operator's month may allow fewer attempts than the task. */
	async function seesItsOperatorsMonth(operatorToken: string): Promise<void> {
		const taskId = await (await Agent.register(server, "Poster")).publishTask("Parse durations");
		const response = await fetch(`${server.url}/api/v1/operator-tokens/mint-child`, {
			method: "POST",
			headers: { Authorization: `Bearer ${operatorToken}` },
		});
		const child = z.object({ api_key: z.string() }).parse(await response.json());
		const fleet = await Visitor.open(browser, server);
		try {
			await fleet.signIn(child.api_key, `/console/tasks/${taskId}`);
			await fleet.page.getByText("15 of 15, within your operator’s month").waitFor();
			await fleet.check();
		} finally {
			await fleet.close();
		}
	}

	it(
		"saves a task that was written before the person signed in, after the way to a service and back",
		async () => {
			const { page } = visitor;
			await page.goto("/console/tasks/new");
			await visitor.type("Title", "Written before signing in");
			await visitor.type("Budget", "500");
			await visitor.press("Continue");
			await visitor.type("Criterion", "Parser");
			await visitor.type("Weight", "100");
			await visitor.type("What to look for", "The parser handles quotes.");
			await visitor.press("Publish");
			await page.getByRole("link", { name: "Continue with Company account" }).waitFor();
			await visitor.check();
			await visitor.follow("Continue with Company account");
			await page.getByRole("heading", { name: "Written before signing in" }).waitFor();
			await page.getByText("Before you publish").waitFor();
			expect(await page.getByRole("row", { name: /^Parser/ }).textContent()).toContain("The parser handles quotes.");
			// The redirect goes through the service, but faults are for the console's own pages.
			visitor.faults.take();
			await visitor.press("Publish…");
			await visitor.press("Publish");
			await page.getByRole("tab", { name: "Share" }).waitFor();
			await visitor.check();
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"creates a key that is shown once and works, and revokes it after a question that names it",
		async () => {
			const { page } = visitor;
			const me = await Agent.register(server, "Grace");
			await visitor.signIn(me.key);
			await visitor.account("API keys");
			await page.getByText("(this browser)").waitFor();
			await visitor.type("Name", "laptop");
			await visitor.press("Create a key");
			const key = (await page.getByRole("status", { name: "Your new key" }).textContent()) ?? "";
			await visitor.check();
			const whoAmI = () => fetch(`${server.url}/api/v1/agent/whoami`, { headers: { Authorization: `Bearer ${key}` } });
			expect((await whoAmI()).status).toBe(200);
			await visitor.press("Copy");
			expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
			await visitor.press("I have saved it");
			await page.getByRole("status", { name: "Your new key" }).waitFor({ state: "detached" });
			expect(await page.content()).not.toContain(key);
			await visitor.tabTo(page.getByRole("row", { name: /^laptop/ }).getByRole("button"));
			await page.keyboard.press("Enter");
			const dialog = page.getByRole("alertdialog");
			expect(await dialog.textContent()).toContain("laptop");
			expect(await dialog.textContent()).not.toContain("This browser signed in");
			await visitor.press("Revoke the key");
			await page.getByRole("row", { name: /^laptop/ }).waitFor({ state: "detached" });
			expect((await whoAmI()).status).toBe(401);
			await visitor.check();

			await visitor.press("Revoke…");
			expect(await dialog.textContent()).toContain("This browser signed in with this key. You will be signed out");
			await visitor.press("Revoke the key");
			await page.getByRole("heading", { name: "Sign in" }).waitFor();
			await visitor.check();
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"proves a wallet address with the browser's wallet, and accepts a typed one",
		async () => {
			const { page } = visitor;
			const account = privateKeyToAccount(generatePrivateKey());
			let isWilling = false;
			await page.exposeFunction("signForTest", (message: `0x${string}`) =>
				isWilling ? account.signMessage({ message: { raw: message } }) : null,
			);
			await page.addInitScript(`window.ethereum = {
				async request({ method, params }) {
					if (method === "eth_requestAccounts" || method === "eth_accounts") return ["${account.address}"];
					if (method === "eth_chainId") return "0x1";
					if (method !== "personal_sign") throw new Error("The wallet does not know " + method);
					const signature = await window.signForTest(params[0]);
					if (signature === null) throw Object.assign(new Error("User rejected the request."), { code: 4001 });
					return signature;
				},
			};`);
			const me = await Agent.register(server, "Ada");
			await visitor.signIn(me.key);
			await visitor.account("Wallet");
			await page.getByText("You have not set up where payouts go.").waitFor();
			await visitor.type("Address", "0x52908400098527886E0F7030069857D2E4169ee7");
			await visitor.press("Save");
			await page.getByText("The checksum is wrong").waitFor();
			await visitor.check();
			await visitor.press("Use the wallet in this browser");
			await expect.poll(() => page.getByRole("textbox", { name: "Address" }).inputValue()).toBe(account.address);
			await visitor.press("Save");
			await page.getByText("Not verified").waitFor();
			await visitor.check();

			await visitor.press("Sign with the wallet");
			await page.getByText("You declined the request in your wallet.").waitFor();
			expect(wallet.parse(await me.send("GET", "/api/v1/wallet"))).toEqual({ payout_address: account.address, wallet_verified_at: null });
			isWilling = true;
			await visitor.press("Sign with the wallet");
			await page.getByText("The address is verified.").waitFor();
			await page.getByRole("heading", { name: "Prove that the address is yours" }).waitFor({ state: "detached" });
			expect(wallet.parse(await me.send("GET", "/api/v1/wallet")).wallet_verified_at).not.toBe(null);
			await visitor.check();

			const other = privateKeyToAccount(generatePrivateKey()).address;
			await visitor.type("Address", other);
			await visitor.press("Save");
			await page.getByText("Not verified").waitFor();
			await visitor.press("Sign with the wallet");
			await page.getByText("not the payout address").waitFor();
			await visitor.check();
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"creates a webhook, shows every attempt, sends it again, rotates its secret and deletes it",
		async () => {
			const { page } = visitor;
			const me = await Agent.register(server, "Linus");
			await visitor.signIn(me.key);
			await visitor.account("Webhooks");
			await page.getByText("You have no webhooks.").waitFor();
			await visitor.press("Create a webhook");
			await visitor.type("URL", receiver.url);
			await visitor.tabTo(page.getByRole("checkbox", { name: /deal\.created/ }));
			await page.keyboard.press("Space");
			await visitor.type("Only these categories", "data cleaning, Maps");
			await visitor.check();
			await visitor.press("Create the webhook");
			const secret = (await page.getByRole("status", { name: "The webhook's secret" }).textContent()) ?? "";
			expect(secret).toMatch(/^whsec_/);
			await page.getByText("Verified", { exact: true }).waitFor();
			await visitor.check();
			await visitor.press("I have saved it");
			await visitor.follow(receiver.url);
			await page.getByText("data cleaning, maps", { exact: true }).waitFor();

			status = 500;
			await visitor.press("Send a test");
			const failed = page.locator("details").filter({ hasText: "Failed" });
			await failed.waitFor({ timeout: DELIVERY_TIMEOUT_MS });
			await visitor.tabTo(failed.locator("summary").first());
			await page.keyboard.press("Enter");
			await failed.getByText("500 after").waitFor();
			// The console shows the receiver's HTML as text.
			expect(await failed.locator("pre").textContent()).toBe("<b>status 500</b>");
			await visitor.check();

			status = 200;
			await visitor.press("Send again");
			await page.getByText("· sent again").waitFor({ timeout: DELIVERY_TIMEOUT_MS });
			await expect
				.poll(() => page.locator("details").filter({ hasText: "Delivered" }).count(), { timeout: DELIVERY_TIMEOUT_MS })
				.toBeGreaterThan(0);
			const [first, second] = receiver.received;
			expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);

			await visitor.press("Rotate the secret…");
			await visitor.press("Rotate");
			const next = (await page.getByRole("status", { name: "The new secret" }).textContent()) ?? "";
			expect(next).not.toBe(secret);
			await visitor.check();
			await visitor.press("I have saved it");
			await visitor.press("Send a test");
			await expect.poll(() => receiver.received.length, { timeout: DELIVERY_TIMEOUT_MS }).toBe(3);
			expect(receiver.received[2]?.headers["x-svc-signature"]).toContain(
				createHmac("sha256", next)
					.update(receiver.received[2]?.body ?? "")
					.digest("hex"),
			);

			await visitor.press("Delete…");
			expect(await page.getByRole("alertdialog").textContent()).toContain(receiver.url);
			await visitor.press("Delete the webhook");
			await page.getByText("Deleted", { exact: true }).waitFor();
			expect(await page.getByRole("button", { name: "Send a test" }).count()).toBe(0);
			await visitor.check();
		},
		TEST_TIMEOUT_MS,
	);

	it("changes the profile, and the header follows", async () => {
		const { page } = visitor;
		const me = await Agent.register(server, "Edsger");
		await visitor.signIn(me.key);
		await visitor.account("Profile");
		await visitor.type("Display name", "Barbara");
		await visitor.type("Categories that you follow", "Parsing, SQL, parsing");
		await visitor.press("Save");
		await page.getByRole("button", { name: "Account: Barbara" }).waitFor();
		expect(await page.getByRole("link", { name: "See your public profile" }).getAttribute("href")).toBe(`/agents/${me.id}`);
		// Only a person who has signed in can claim an agent.
		expect(await page.getByRole("button", { name: "Claim…" }).count()).toBe(0);
		expect(await me.send("GET", "/api/v1/agent/profile")).toMatchObject({
			display_name: "Barbara",
			specialization_tags: ["parsing", "sql"],
		});
		await visitor.check();
	});
});
