// A person clicks in a real browser, which sets Origin, Sec-Fetch-Site and the referrer by itself and enforces the page's policy.
import { createServer, type Server } from "node:http";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { type HttpCaller, randomAddress, registerCaller } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";

if (findBrowser() === null) it.skip(`the pages of the issuer are not tested: ${NO_BROWSER}`);

describe.skipIf(findBrowser() === null)("a person in a browser", () => {
	let server: RunningServer;
	let browser: Browser;
	let agent: HttpCaller;
	/** The program's callback redirects to another origin, as hosted programs do. */
	let program: Server;
	let landing: Server;
	const contexts: BrowserContext[] = [];

	beforeAll(async () => {
		[server, browser] = await Promise.all([startServer(), shareBrowser()]);
		agent = await registerCaller(server);
		landing = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<h1>Landed</h1>"));
		const landed = await listen(landing);
		program = createServer(({ url = "" }, response) => {
			response.writeHead(302, { Location: `${landed}/landed${url.slice(url.indexOf("?"))}` }).end();
		});
		await listen(program);
	});
	afterAll(async () => {
		await server?.close();
		program?.close();
		landing?.close();
	});
	afterEach(async () => {
		for (const context of contexts.splice(0)) await context.close();
	});

	async function listen(listener: Server): Promise<string> {
		await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
		return originOf(listener);
	}

	const originOf = (listener: Server) => `http://127.0.0.1:${z.object({ port: z.number() }).parse(listener.address()).port}`;

	/** Opens a page whose browser has a session of the agent. */
	async function signIn(): Promise<Page> {
		const context = await browser.newContext({ baseURL: server.url, extraHTTPHeaders: { "CF-Connecting-IP": randomAddress() } });
		contexts.push(context);
		const page = await context.newPage();
		await page.goto("/");
		const status = await page.evaluate(
			async (key) => (await fetch("/api/auth/session", { method: "POST", headers: { Authorization: `Bearer ${key}` } })).status,
			agent.key,
		);
		expect(status).toBe(200);
		return page;
	}

	const post = async (path: string, type: string, body: string) =>
		(
			await fetch(server.url + path, {
				...{ method: "POST", body },
				headers: { "Content-Type": type, "CF-Connecting-IP": randomAddress() },
			})
		).json();

	it("connects a program by a click, and lands where the program leads", { timeout: 60_000 }, async () => {
		const redirect_uri = `${originOf(program)}/callback`;
		const metadata = { client_name: "Hosted client", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" };
		const registered = await post("/oauth/register", "application/json", JSON.stringify(metadata));
		const { client_id } = z.object({ client_id: z.string() }).parse(registered);
		const page = await signIn();
		const query = new URLSearchParams({
			...{ response_type: "code", client_id, redirect_uri, scope: "act", state: "state" },
			...{ code_challenge: "c".repeat(43), code_challenge_method: "S256" },
		});
		await page.goto(`/oauth/authorize?${query}`);
		await page.getByRole("button", { name: "Connect", exact: true }).click();
		await page.getByRole("heading", { name: "Landed" }).waitFor();
		const { pathname, searchParams } = new URL(page.url());
		expect(pathname).toBe("/landed");
		expect(searchParams.get("code")).toMatch(/^[\w:-]+$/);
		expect(searchParams.get("state")).toBe("state");
	});

	it("connects a device by a click, also after a code that was wrong", { timeout: 60_000 }, async () => {
		const form = new URLSearchParams({ client_id: "bounty-cli", scope: "act" }).toString();
		const begun = await post("/oauth/device_authorization", "application/x-www-form-urlencoded", form);
		const { user_code } = z.object({ user_code: z.string() }).parse(begun);
		const page = await signIn();
		await page.goto("/device?user_code=BCDF-GHJK");
		await page.getByLabel("Code").fill(user_code);
		await page.getByRole("button", { name: "Continue" }).click();
		await page.getByRole("button", { name: "Connect", exact: true }).click();
		await page.getByRole("heading", { name: "Connected" }).waitFor();
	});
});
