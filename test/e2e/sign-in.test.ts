// Tests how humans sign in over real sockets: the Worker, a real OpenID Connect provider, and a client with a browser's cookies.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, startServer } from "../support/server.ts";
import { CLIENT, type SignInServices, signInVars, startSignInServices } from "../support/sign-in-services.ts";

let services: SignInServices;
let server: RunningServer;

beforeAll(async () => {
	services = await startSignInServices();
	server = await startServer({ vars: signInVars(services) });
	services.register(server.url);
});
afterAll(async () => {
	await server?.close();
	await services?.close();
});
beforeEach(() => {
	services.human = { subject: crypto.randomUUID(), name: "Ada Lovelace" };
});

interface Answer {
	readonly status: number;
	readonly location: URL | null;
	readonly cookies: readonly string[];
	readonly body: Record<string, unknown>;
}

/** Keeps cookies by origin, and follows only redirects that the test has seen. */
class Browser {
	readonly #jars = new Map<string, Map<string, string>>();

	jar(url: URL | string): Map<string, string> {
		const { origin } = new URL(url);
		const jar = this.#jars.get(origin) ?? new Map<string, string>();
		this.#jars.set(origin, jar);
		return jar;
	}

	async open(target: URL | string, init: RequestInit = {}): Promise<Answer> {
		const url = new URL(target, server.url);
		const cookie = [...this.jar(url)].map(([name, value]) => `${name}=${value}`).join("; ");
		const headers = { "CF-Connecting-IP": `198.18.${random()}.${random()}`, ...(cookie === "" ? {} : { Cookie: cookie }), ...init.headers };
		const response = await fetch(url, { ...init, headers, redirect: "manual" });
		const cookies = response.headers.getSetCookie();
		for (const line of cookies) this.#keep(url, line);
		const location = response.headers.get("Location");
		const text = await response.text();
		const body = text.startsWith("{") ? JSON.parse(text) : {};
		return { status: response.status, location: location === null ? null : new URL(location, url), cookies, body };
	}

	#keep(url: URL, line: string): void {
		const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
		if (value === "" || /max-age=0/i.test(line)) this.jar(url).delete(name);
		else this.jar(url).set(name, value);
	}

	/** Follows redirects until the predicate accepts the next URL. */
	async followUntil(start: URL, isThere: (url: URL) => boolean): Promise<URL> {
		let url = start;
		for (let hops = 0; hops < 10; hops += 1) {
			if (isThere(url)) return url;
			const { location, status, body } = await this.open(url);
			if (location === null) throw new Error(`${url} answered ${status} ${JSON.stringify(body)} and no redirect.`);
			url = location;
		}
		throw new Error("Too many redirects.");
	}

	/** Opens the sign-in service and returns its response, which is not delivered yet. */
	async fetchAnswer({ provider = "oidc", query = "", change = (_url: URL) => {} } = {}): Promise<URL> {
		const { location, status } = await this.open(`/api/auth/sign-in/${provider}${query}`);
		if (location === null) throw new Error(`Signing in answered ${status}.`);
		change(location);
		return this.followUntil(location, ({ pathname }) => pathname.startsWith("/api/auth/callback/"));
	}

	async signIn(provider = "oidc"): Promise<Answer> {
		return this.open(await this.fetchAnswer({ provider }));
	}

	async session(): Promise<Record<string, string>> {
		const { body } = await this.open("/api/auth/session");
		return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
	}

	async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
		return this.open(path, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
	}
}

const random = () => Math.floor(Math.random() * 250);

async function expectRefused(browser: Browser, callback: URL | string): Promise<void> {
	const { status, body, cookies } = await browser.open(callback);
	expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
	expect(cookies.join()).not.toContain("__Host-session");
	expect((await browser.open("/api/auth/session")).status).toBe(401);
}

describe("signing in", () => {
	it("offers the configured providers", async () => {
		const { body } = await new Browser().open("/api/auth/providers");
		expect(body).toEqual({
			providers: [
				{ id: "passkey", name: "Passkey" },
				{ id: "github", name: "GitHub", sign_in_url: `${server.url}/api/auth/sign-in/github` },
				{ id: "oidc", name: "Company account", sign_in_url: `${server.url}/api/auth/sign-in/oidc` },
			],
		});
		expect((await new Browser().open("/api/auth/sign-in/google")).status).toBe(404);
	});

	it("sends PKCE, state, nonce and the exact redirect URI", async () => {
		const { location, cookies } = await new Browser().open("/api/auth/sign-in/oidc");
		const sent = Object.fromEntries(location?.searchParams ?? []);
		expect(sent).toMatchObject({
			response_type: "code",
			client_id: CLIENT.id,
			redirect_uri: `${server.url}/api/auth/callback/oidc`,
			code_challenge_method: "S256",
			scope: expect.stringContaining("openid"),
		});
		for (const secret of [sent["state"], sent["nonce"], sent["code_challenge"]]) expect(secret?.length).toBeGreaterThan(40);
		expect(cookies).toHaveLength(1);
		for (const secret of [sent["state"], sent["nonce"]]) expect(cookies.join()).not.toContain(secret);
	});

	it("gives a human a verified identity", async () => {
		const browser = new Browser();
		const done = await browser.signIn();
		expect({ status: done.status, location: done.location?.href }).toEqual({ status: 302, location: `${server.url}/api/auth/session` });
		const cookie = done.cookies.find((line) => line.startsWith("__Host-session="));
		for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=2592000"]) expect(cookie).toContain(attribute);
		expect(cookie).not.toContain("Domain");

		const session = await browser.session();
		expect(session).toMatchObject({ name: "Ada Lovelace", tier: "verified" });
		const me = await browser.open("/api/v1/agent/whoami");
		expect(me.body).toMatchObject({ agent_id: session["agent_id"], auth_method: "session", tier: "verified", name: "Ada Lovelace" });
	});

	it("recognizes a human, opens a new session, and ends the previous one", async () => {
		const browser = new Browser();
		await browser.signIn();
		const first = await browser.session();
		const old = browser.jar(server.url).get("__Host-session") ?? "";
		await browser.signIn();
		const second = await browser.session();
		expect(second["agent_id"]).toBe(first["agent_id"]);
		expect(second["csrf_token"]).not.toBe(first["csrf_token"]);
		const stolen = new Browser();
		stolen.jar(server.url).set("__Host-session", old);
		expect((await stolen.open("/api/auth/session")).status).toBe(401);
		const rows = await server.query("select hash from sessions");
		expect(JSON.stringify(rows)).not.toContain(browser.jar(server.url).get("__Host-session"));
		services.human = { subject: crypto.randomUUID(), name: "Ada Lovelace" };
		const other = new Browser();
		await other.signIn();
		expect((await other.session())["agent_id"]).not.toBe(first["agent_id"]);
	});

	it("ends with signing out", async () => {
		const browser = new Browser();
		await browser.signIn();
		const { csrf_token } = await browser.session();
		const token = browser.jar(server.url).get("__Host-session") ?? "";
		expect((await browser.post("/api/auth/sign-out", {})).status).toBe(403);
		expect((await browser.post("/api/auth/sign-out", {}, { "X-CSRF-Token": csrf_token ?? "" })).status).toBe(200);
		expect(browser.jar(server.url).has("__Host-session")).toBe(false);
		browser.jar(server.url).set("__Host-session", token);
		expect((await browser.open("/api/auth/session")).status).toBe(401);
	});

	it("works with GitHub too, and uses the login as the name if there is none", async () => {
		const browser = new Browser();
		expect((await browser.signIn("github")).status).toBe(302);
		expect(await browser.session()).toMatchObject({ name: "octocat", tier: "verified" });
		expect(await server.query("select issuer, subject from users where subject = ?", "583231")).toEqual([
			{ issuer: services.github, subject: "583231" },
		]);
	});
});

describe("an attack on signing in", () => {
	it("fails in another browser than the first one: a forced sign-in into another account", async () => {
		const answer = await new Browser().fetchAnswer();
		await expectRefused(new Browser(), answer);
		const victim = new Browser();
		await victim.open("/api/auth/sign-in/oidc");
		await expectRefused(victim, answer);
	});

	it("fails with a code that was used before, with the cookie or without", async () => {
		const browser = new Browser();
		const answer = await browser.fetchAnswer();
		const attempt = browser.jar(server.url).get("__Host-sign-in") ?? "";
		expect((await browser.open(answer)).status).toBe(302);
		browser.jar(server.url).delete("__Host-session");
		await expectRefused(browser, answer);
		const thief = new Browser();
		thief.jar(server.url).set("__Host-sign-in", attempt);
		await expectRefused(thief, answer);
	});

	it("fails with another issuer's response, and at another provider's callback", async () => {
		const browser = new Browser();
		const answer = await browser.fetchAnswer();
		expect(answer.searchParams.get("iss")).toBe(services.issuer);
		answer.searchParams.set("iss", "https://evil.test");
		await expectRefused(browser, answer);
		const mixed = new Browser();
		const other = await mixed.fetchAnswer();
		other.pathname = "/api/auth/callback/github";
		await expectRefused(mixed, other);
		const without = new Browser();
		const bare = await without.fetchAnswer();
		bare.searchParams.delete("iss");
		await expectRefused(without, bare);
	});

	it("fails with a tampered cookie; and a refusal at the service is reported", async () => {
		const browser = new Browser();
		const answer = await browser.fetchAnswer();
		browser.jar(server.url).set("__Host-sign-in", "AAAA");
		await expectRefused(browser, answer);
		const refused = new Browser();
		const denial = await refused.fetchAnswer();
		denial.searchParams.delete("code");
		denial.searchParams.set("error", "access_denied");
		await expectRefused(refused, denial);
	});
});
