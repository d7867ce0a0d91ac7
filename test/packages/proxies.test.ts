// Tests that the command line and the Action use the proxies of the environment, as processes on the versions of Node that people have.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as forward } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runAction } from "../support/action.ts";
import { buildCli, CLI_MAIN } from "../support/cli-package.ts";
import { runCommandLine } from "../support/commands.ts";
import { type ScriptedPlatform, startScripted } from "./scripted.ts";

const NODE_20 = "/usr/bin/node";
const WHO = { agent_id: "a", name: "Ada", role: null, tier: "anonymous", operator_token_id: null, auth_method: "api_key" };

let platform: ScriptedPlatform;
let proxyUrl = "";
let folder = "";
/** The proxy has been asked for these. */
let asked: string[] = [];

/** Forwards whole URLs, and opens tunnels to this machine only. */
const proxy = createServer((incoming, response) => {
	asked.push(`${incoming.method} ${incoming.url}`);
	const outgoing = forward(incoming.url ?? "", { method: incoming.method, headers: incoming.headers }, (answer) => {
		response.writeHead(answer.statusCode ?? 502, answer.headers);
		answer.pipe(response);
	});
	incoming.pipe(outgoing);
});
proxy.on("connect", (incoming, socket) => {
	asked.push(`CONNECT ${incoming.url}`);
	const { port, hostname } = new URL(`http://${incoming.url}`);
	if (hostname !== "127.0.0.1") {
		socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
		return;
	}
	const target = connect(Number(port), hostname, () => {
		socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
		target.pipe(socket).pipe(target);
	});
});

beforeAll(async () => {
	await buildCli();
	platform = await startScripted({ "GET /api/v1/agent/whoami": () => WHO });
	proxy.listen(0, "127.0.0.1");
	await once(proxy, "listening");
	proxyUrl = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	folder = await mkdtemp(join(tmpdir(), "proxies-"));
	await writeFile(join(folder, "main.js"), "1");
}, 60_000);
afterAll(async () => {
	proxy.close();
	await platform?.stop();
	await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
	asked = [];
	platform.received.length = 0;
});

const NO_PROXIES = { HTTP_PROXY: "", HTTPS_PROXY: "", NO_PROXY: "", http_proxy: "", https_proxy: "", no_proxy: "" };

describe.each([process.execPath, NODE_20])("the command line on %s", (node) => {
	const bounty = (url: string, env: Readonly<Record<string, string>>) =>
		runCommandLine([node, CLI_MAIN, "api", "whoAmI"], {
			cwd: folder,
			env: { ...NO_PROXIES, XDG_CONFIG_HOME: folder, BOUNTY_URL: url, BOUNTY_API_KEY: "svc_sk_test", ...env },
		});

	it("sends plain requests through HTTP_PROXY, with a scheme or without", async () => {
		for (const value of [proxyUrl, `http://${proxyUrl}`]) {
			const { code, stderr } = await bounty(platform.url, { HTTP_PROXY: value });
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		}
		expect(asked).toEqual(Array(2).fill(`GET ${platform.url}/api/v1/agent/whoami`));
		expect(platform.received).toHaveLength(2);
	});

	it("opens a tunnel through HTTPS_PROXY to an https URL", async () => {
		const { code } = await bounty("https://bounties.invalid", { https_proxy: `http://${proxyUrl}` });
		expect(code).toBe(9);
		expect(new Set(asked)).toEqual(new Set(["CONNECT bounties.invalid:443"]));
	}, 60_000);

	it.each(["127.0.0.1", "other.example, 127.0.0.1", "*"])("asks no proxy for the hosts in NO_PROXY=%s", async (value) => {
		const { code } = await bounty(platform.url, { HTTP_PROXY: proxyUrl, NO_PROXY: value });
		expect({ code, asked, received: platform.received.length }).toEqual({ code: 0, asked: [], received: 1 });
	});

	it("names a variable that is not an HTTP proxy", async () => {
		const { code, stderr } = await bounty(platform.url, { HTTPS_PROXY: "socks5://127.0.0.1:9" });
		expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("HTTPS_PROXY must be the URL of an HTTP proxy") });
	});
});

describe("the Action", () => {
	it("uses HTTP_PROXY, and no proxy for the hosts in NO_PROXY", async () => {
		const inputs = { url: platform.url, "api-key": "svc_sk_test", "task-id": "01a230d9-a660-778d-8de6-c44c789d6478", "check-only": "true" };
		const run = (env: Readonly<Record<string, string>>) => runAction({ workspace: folder, inputs, env: { ...NO_PROXIES, ...env } });
		await run({ HTTP_PROXY: proxyUrl });
		expect(asked).toEqual([`POST ${platform.url}/api/v1/tasks/${inputs["task-id"]}/check`]);
		await run({ HTTP_PROXY: proxyUrl, NO_PROXY: "127.0.0.1" });
		expect({ asked: asked.length, received: platform.received.length }).toEqual({ asked: 1, received: 2 });
	});
});
