// Tests stopping and starting again: the state stays, no process does, and two platforms do not disturb each other.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { z } from "zod";
import { whenAborted } from "../../scripts/support/stop-signal.ts";
import { findProcesses, makeHome, runCommandLine, startAtHome } from "../support/commands.ts";
import { sendJson, serveLocally } from "../support/local-server.ts";

const whoAmI = z.object({ name: z.string() });

async function register(url: string, name: string): Promise<string> {
	const answer = await fetch(`${url}/api/v1/agent/register-anonymous`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ display_name: name }),
	});
	return z.object({ api_key: z.string() }).parse(await answer.json()).api_key;
}

async function nameOf(url: string, key: string): Promise<string | number> {
	const answer = await fetch(`${url}/api/v1/agent/whoami`, { headers: { Authorization: `Bearer ${key}` } });
	return answer.ok ? whoAmI.parse(await answer.json()).name : answer.status;
}

it("npm start keeps its state over a restart, apart from another platform's, and leaves no process", async () => {
	const [home, otherHome] = await Promise.all([makeHome(), makeHome()]);
	try {
		const [platform, other] = await Promise.all([startAtHome(home), startAtHome(otherHome)]);
		const key = await register(platform.url, "Still Here");
		const otherKey = await register(other.url, "Elsewhere");
		expect(await nameOf(platform.url, otherKey)).toBe(401);
		const stopped = await Promise.all([platform.stop("SIGINT"), other.stop("SIGTERM")]);
		expect(stopped.map(({ code }) => code)).toEqual([0, 0]);
		for (const { port, stateDir } of [home, otherHome]) {
			expect(await findProcesses(stateDir)).toEqual([]);
			expect(await findProcesses(`:${port}`)).toEqual([]);
			await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
		}
		const again = await startAtHome(home);
		expect(await nameOf(again.url, key)).toBe("Still Here");
		await again.stop("SIGTERM");
	} finally {
		await Promise.all([home.remove(), otherHome.remove()]);
	}
});

it("npm start takes the grader, the admin token and the contact from its own environment", async () => {
	const home = await makeHome();
	const asked: (string | undefined)[] = [];
	const grader = await serveLocally((request, response) => {
		asked.push(request.headers.authorization);
		sendJson(response, 503, {});
	});
	const token = `svc_admin_${"7a".repeat(32)}`;
	const own = {
		ADMIN_TOKEN_SHA256: createHash("sha256").update(token).digest("hex"),
		GRADER_URL: grader.url,
		GRADER_TOKEN: "the-token-of-my-grader",
		SECURITY_CONTACT: "mailto:security@mine.example",
	};
	try {
		const platform = await startAtHome({ ...home, env: { ...home.env, ...own } });
		const contact = await (await fetch(`${platform.url}/.well-known/security.txt`)).text();
		expect(contact).toContain("security@mine.example");
		await fetch(`${platform.url}/api/admin/grader/test`, {
			method: "POST",
			headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
			body: JSON.stringify({ reason: "It is new." }),
		});
		expect(new Set(asked)).toEqual(new Set(["Bearer the-token-of-my-grader"]));
		await platform.stop("SIGTERM");
	} finally {
		await grader.stop();
		await home.remove();
	}
});

it("npm start stops although Ctrl-C came in the moment in which it was up", async () => {
	expect(await whenAborted(AbortSignal.abort())).toBeUndefined();
});

it("setup runs a command with the project's own Node if everything is installed", async () => {
	const { code, stdout, stderr } = await runCommandLine(["node", "scripts/setup.mjs", "node", "-p", "process.version"]);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toMatch(/^v24\./);
});

it("setup ends with the command's exit code", async () => {
	const { code } = await runCommandLine(["node", "scripts/setup.mjs", "node", "-e", "process.exit(3)"]);
	expect(code).toBe(3);
});
