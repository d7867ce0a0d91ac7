// A person who has no key: they write a task before they sign in, publish it with a passkey, and come back with it in another browser.
import type { CDPSession, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { findBrowser, NO_BROWSER } from "../support/browser.ts";
import { Agent, beforeEachVisit, type Visit, Visitor } from "../support/console.ts";
import { watchUrls } from "../support/site.ts";

const TEST_TIMEOUT_MS = 120_000;
const JUDGING_TIMEOUT_MS = 60_000;
const DESCRIPTION = "The parser handles quotes, the delimiter and a newline inside of a field.";

const device = z.object({ authenticatorId: z.string() });
const held = z.object({ credentials: z.array(z.looseObject({ credentialId: z.string(), signCount: z.number() })) });

/** A device with passkeys, as Chromium imitates it. */
class Device {
	readonly #session: CDPSession;
	readonly #authenticatorId: string;

	private constructor(session: CDPSession, authenticatorId: string) {
		this.#session = session;
		this.#authenticatorId = authenticatorId;
	}

	static async plugInto(page: Page): Promise<Device> {
		const session = await page.context().newCDPSession(page);
		await session.send("WebAuthn.enable");
		const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true } as const;
		const added = await session.send("WebAuthn.addVirtualAuthenticator", {
			options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
		});
		return new Device(session, device.parse(added).authenticatorId);
	}

	async passkeys() {
		return held.parse(await this.#session.send("WebAuthn.getCredentials", { authenticatorId: this.#authenticatorId })).credentials;
	}

	/** Copies the passkeys of another device, as a synchronized account does. */
	async copyFrom(other: Device): Promise<void> {
		for (const credential of await other.passkeys()) {
			await this.#session.send("WebAuthn.addCredential", {
				authenticatorId: this.#authenticatorId,
				credential: { privateKey: "", isResidentCredential: true, ...credential },
			});
		}
	}

	/** The person refuses from now on. */
	async refuse(): Promise<void> {
		await this.#session.send("WebAuthn.setUserVerified", { authenticatorId: this.#authenticatorId, isUserVerified: false });
	}

	async agree(): Promise<void> {
		await this.#session.send("WebAuthn.setUserVerified", { authenticatorId: this.#authenticatorId, isUserVerified: true });
	}
}

if (findBrowser() === null) it.skip(`passkeys at the console are not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("a person without a key", () => {
	let visit: Visit;
	let others: Visitor[] = [];

	beforeEachVisit({}, (opened) => {
		visit = opened;
	});
	afterEach(async () => {
		await Promise.all(others.map((visitor) => visitor.close()));
		others = [];
	});

	/** Browsers make passkeys for the name only. */
	const named = (path = "/") => visit.server.url.replace("127.0.0.1", "localhost") + path;

	async function open(): Promise<{ readonly visitor: Visitor; readonly page: Page; readonly device: Device }> {
		const visitor = await Visitor.open(visit.browser, { ...visit.server, url: named("") });
		others.push(visitor);
		return { visitor, page: visitor.page, device: await Device.plugInto(visitor.page) };
	}

	async function writeTask(visitor: Visitor, title: string): Promise<void> {
		await visitor.type("Title", title);
		await visitor.type("Budget", "500");
		await visitor.press("Continue");
		await visitor.type("Criterion", "Parser");
		await visitor.type("Weight", "100");
		await visitor.type("What to look for", DESCRIPTION);
	}

	it(
		"goes from “Post a task” to a published task in 10 clicks and 5 fields, signs out, and finds the task again in another browser",
		async () => {
			const { visitor, page, device } = await open();
			const secrets: string[] = [];
			await page.goto(named());
			await visitor.follow("Post a task");
			await page.getByRole("heading", { name: "New task" }).waitFor();
			await visitor.inspect("visitor-task");
			const urls = watchUrls(page);
			await writeTask(visitor, "Parse CSV files");
			await visitor.press("Ask about this rubric");
			await page.getByText("1 criterion got new checks: the sentences of its description.").waitFor();
			await page.getByText("These notes come from rules in your browser").waitFor();
			await visitor.inspect("visitor-rubric");
			await visitor.press("Continue");
			await page.getByText("Who judges?").waitFor();
			await visitor.inspect("visitor-judging");
			await visitor.press("Continue");
			await page.getByText("This judge only compares words.").waitFor();
			const buffer = Buffer.from("def parser(text):\n\treturn text.split(delimiter, keep_newline=True)  # handles quotes\n");
			await page
				.locator("input[type=file]")
				.first()
				.setInputFiles([{ name: "parser.py", mimeType: "text/plain", buffer }]);
			await visitor.press("Try these files");
			await page.getByText("by comparing words").waitFor();
			await visitor.inspect("visitor-dry-run");
			await visitor.press("Continue");
			await page.getByRole("button", { name: "Create a passkey" }).waitFor();
			await visitor.inspect("visitor-publish");
			expect(urls.filter((url) => /\/api\/(?!auth\/providers)/.test(url))).toEqual([]);

			await visitor.press("Create a passkey");
			await page.getByText("Before you publish").waitFor();
			secrets.push(await page.content());
			await visitor.inspect("first-passkey");
			await visitor.press("Publish…");
			await visitor.press("Publish");
			await page.getByRole("tab", { name: "Share" }).waitFor();
			expect([visitor.clicks, visitor.fields]).toEqual([10, 5]);
			const taskId = new URL(page.url()).pathname.split("/")[3] ?? "";
			expect((await fetch(`${visit.server.url}/tasks/${taskId}`)).status).toBe(200);
			secrets.push(await page.content());
			expect(secrets.join("").match(/svc_sk_/g)).toBeNull();
			expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage])")).not.toContain("svc_sk_");

			await visitor.account("Passkeys");
			await page.getByRole("row", { name: /^Passkey without a name/ }).waitFor();
			await visitor.inspect("passkeys");
			await visitor.account("Sign out");
			await page.getByRole("heading", { name: "Sign in" }).waitFor();

			const elsewhere = await open();
			await elsewhere.device.copyFrom(device);
			await elsewhere.page.goto(named("/console"));
			await elsewhere.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
			await elsewhere.visitor.inspect("sign-in");
			await elsewhere.visitor.press("Sign in with a passkey");
			await elsewhere.visitor.follow("My tasks");
			await elsewhere.page.getByRole("link", { name: "Parse CSV files" }).waitFor();
			expect(await elsewhere.device.passkeys()).toHaveLength(1);
			await elsewhere.visitor.check();

			// The copied passkey has moved its counter on, so the one that was left behind is refused.
			await elsewhere.visitor.account("Passkeys");
			await elsewhere.page.getByRole("row", { name: /^Passkey without a name/ }).waitFor();
			await elsewhere.visitor.press("Remove…");
			await elsewhere.page.getByRole("alertdialog").waitFor();
			await elsewhere.visitor.check();
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"is warned before a new key is lost, and sees it again after a reload",
		async () => {
			const { visitor, page } = await open();
			await page.goto(named("/console/sign-in"));
			await visitor.press("Create identity");
			const secret = page.getByLabel("Your key");
			const key = await secret.textContent();
			const asked: string[] = [];
			page.on("dialog", (dialog) => asked.push(dialog.type()));
			// The page stays, because a dialog that is not answered is dismissed.
			await page.reload({ timeout: 2_000 }).catch(() => undefined);
			expect(asked).toEqual(["beforeunload"]);
			visitor.faults.take();
			page.removeAllListeners("dialog");
			page.on("dialog", (dialog) => void dialog.accept());
			await page.reload();
			expect(await secret.textContent()).toBe(key);
			await visitor.tick(page.getByRole("checkbox"));
			await visitor.press("Open the console");
			await page.getByRole("button", { name: /^Account/ }).waitFor();
			expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage])")).not.toContain("svc_sk_");
		},
		TEST_TIMEOUT_MS,
	);

	it(
		"is told where passkeys work, and publishes with a key where they do not",
		async () => {
			const { visitor, page } = visit;
			const agent = await Agent.register(visit.server, "Keyed");
			await page.goto("/console/tasks/new");
			await writeTask(visitor, "With a key");
			await visitor.press("Publish");
			expect(await page.getByRole("link", { name: named("") }).getAttribute("href")).toBe(named("/console/tasks/new?step=publish"));
			await visitor.inspect("without-name");
			await visitor.type("API key", agent.key);
			await visitor.hit("Enter");
			await page.getByText("Before you publish").waitFor({ timeout: JUDGING_TIMEOUT_MS });
			expect(await agent.send("GET", "/api/v1/tasks?owner=me")).toMatchObject({ data: [{ title: "With a key" }] });
		},
		TEST_TIMEOUT_MS,
	);
});
