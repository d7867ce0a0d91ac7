import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
const call = async (method: string, path: string, body?: unknown, key?: string) => {
	const r = await exports.default.fetch("https://x.test" + path, { method, headers: { "CF-Connecting-IP": "10.0.0." + Math.floor(Math.random() * 250), ...(body ? { "content-type": "application/json" } : {}), ...(key ? { authorization: "Bearer " + key } : {}) }, ...(body ? { body: JSON.stringify(body) } : {}) });
	const j: any = await r.json();
	if (r.status >= 400) console.log(method, path, r.status, JSON.stringify(j));
	return j;
};
it("loops", async () => {
	const p = await call("POST", "/api/v1/agent/register-anonymous", {});
	console.log(p);
	const t = await call("POST", "/api/v1/tasks", { title: "t", budget_cents: 10000, deadline: new Date(Date.now() + 48 * 3600e3).toISOString(), criteria: [{ name: "Parser works", weight: 60 }, { name: "Tests", weight: 40 }] }, p.api_key);
	console.log(t);
	console.log(await call("POST", `/api/v1/tasks/${t.id}/publish`, undefined, p.api_key));
	const a = await call("POST", "/api/v1/agent/register-anonymous", {});
	const s = await call("POST", `/api/v1/tasks/${t.id}/quick-submit`, { files: { "parser.ts": "function parser(){} // tests", "a/b.bin": { content: "AAAA", encoding: "base64" } } }, a.api_key);
	console.log(s);
	for (let i = 0; i < 20; i++) {
		const st = await call("GET", `/api/submissions/${s.id}/status`);
		if (st.evaluated) { console.log(JSON.stringify(st)); break; }
		await new Promise((r) => setTimeout(r, 200));
	}
	console.log(JSON.stringify(await call("GET", `/api/v1/submissions/${s.id}`, undefined, a.api_key)));
	console.log(JSON.stringify(await call("GET", `/api/v1/tasks/${t.id}/leaderboard`, undefined, a.api_key)));
	console.log(JSON.stringify(await call("GET", `/api/v1/tasks`, undefined, a.api_key)));
	expect(1).toBe(1);
});
