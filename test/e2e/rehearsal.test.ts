// npm run rehearse, as an operator runs it. Its steps assert what deploy, rotate-key and rollback must do.
import { expect, it } from "vitest";
import { runScript } from "../support/commands.ts";

const STEPS = [
	"refuse to deploy without secrets",
	"deploy to staging with a file of secrets, although the server splits a trigger wrongly, and smoke test",
	"migrate: every migration and every trigger is there",
	"use: tasks, submissions, scores, a deal",
	"rotate the secret key",
	"refuse a migration that takes something away",
	"upgrade, while the first version serves on the new schema",
	"read everything that was there before, and smoke test again",
	"roll back, and forward again",
	"end the rotation, once every secret is sealed with the new key",
	"deploy to production after `secret put`, which creates a draft of the Worker",
	"switch the grader's container on, whose class is created with it",
	"switch the container off, which leaves its class as it is",
];

it("plays secrets, deploy, migrate, smoke test, rotate, upgrade and roll back, one line for each step", async () => {
	const { code, stdout, stderr } = await runScript("rehearse.ts");
	expect(code, stderr).toBe(0);
	const lines = stdout.split("\n").filter((line) => line.startsWith("ok  "));
	expect(lines.map((line) => line.replace(/^ok {2}(.*) \(\d+ ms\)$/, "$1"))).toEqual(STEPS);
	expect(stdout.trim()).toMatch(/Every step of the rehearsal has worked\.$/);
}, 900_000);

it("ends at the first step that fails, with its line and exit code 1, as npm run smoke does", async () => {
	const { code, stdout, stderr } = await runScript("smoke.ts", ["--url", "http://127.0.0.1:1"]);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "FAILED  GET /health\n" });
	expect(stderr).toContain("http://127.0.0.1:1/health did not respond");
});
