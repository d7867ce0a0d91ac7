// Tests npm run rehearse as an operator runs it. Its steps assert what deploy, rotate-key and rollback must do.
import { expect, it } from "vitest";
import { VERBS } from "../../scripts/admin/verbs.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";
import { runScript } from "../support/commands.ts";

const STEPS = [
	"refuse to deploy without secrets",
	"deploy to staging with a file of secrets, although the server splits a trigger wrongly, and smoke test",
	"migrate: every migration and every trigger is there",
	"use: tasks, submissions, scores, a deal",
	"give the deployment an admin token and a receiver of alerts",
	"rotate the secret key",
	"refuse a migration that removes something",
	"upgrade, while the first version serves on the new schema",
	"read everything that was there before, and smoke test again",
	"roll back, and forward again",
	"save what was withdrawn, and apply it, the cards and the search index again",
	"end the rotation, once every secret is encrypted with the new key",
	"deploy to production after `secret put`, which creates a draft of the Worker",
	"switch the grader's container on, whose class is created with it",
	"switch the container off, which leaves its class as it is",
];

/** Only a real account, a browser or another test can play these commands of the pages. */
const NOT_PLAYED: Readonly<Record<string, string>> = {
	"npm ci": "test/e2e/restart has what it installs",
	"npm test": "the tests themselves",
	"npm run -s wrangler -- login": "a browser",
	"npm run -s wrangler -- tail --env <name>": "an account",
	"npm run deploy -- --dry-run": "test/e2e/deploying",
	"EXTENSIONS=none npm run deploy -- --env <name>": "test/e2e/core-only",
	"npm run rehearse": "this test",
	"npm run -s wrangler -- delete --env <name>": "an account",
	"npm run -s wrangler -- d1 create <database> --location weur": "an account",
	"npm run -s wrangler -- d1 create <database>": "the deployment creates it in the same way",
	"npm run -s wrangler -- d1 time-travel info DB --env <name> --timestamp <moment>": "an account",
	"npm run -s wrangler -- d1 time-travel restore DB --env <name> --timestamp <moment>": "an account",
	'npm run -s wrangler -- d1 export DB --remote --env <name> --output "bounty-platform-$(date -u +%F).sql"': "an account",
	"npm run -s wrangler -- d1 export DB --remote --env <name> --output directory.sql": "an account",
	"npm run -s wrangler -- d1 execute DB --remote --env <name> --file bounty-platform-2026-11-20.sql": "an account",
	"npm run -s wrangler -- d1 execute DB --remote --env <name> --command \"delete from judge_days where day < date('now', '-90 days')\"":
		"a full database",
	"npm run -s wrangler -- r2 bucket lock add <database> keep-artifacts artifacts/ --retention-days 365": "an account",
};
const OWN_COMMANDS = [...Object.keys(VERBS), "set-tier", "save-withdrawals", "replay-withdrawals"];

/** Removes what differs between a command of the pages and the same one of the rehearsal, which has other names and no https. */
function normalize(command: string): string {
	return command
		.replaceAll(/--env (?:staging|production)\b/g, "--env <name>")
		.replaceAll(/https?:\/\/[^\s'"\\]+/g, "<url>")
		.replaceAll(/bounty-platform-(?:staging|production)\b/g, "<database>")
		.replaceAll(/ --without-(?:webhook|smoke)\b/g, "")
		.replaceAll(/\bsecret put \w+/g, "secret put <secret>")
		.replaceAll(/\bversion-\d+|<version id>/g, "<version>")
		.replaceAll(/\b\d{4}-\d\d-\d\dT[\d:]+Z/g, "<moment>");
}

/** Finds the commands in the text of a page: lines for the shell, and whole commands of npm in sentences. */
function commandsOf(page: string) {
	const text = readProjectFile(page);
	const fences = [...text.matchAll(/^ *```sh.*\n([\s\S]*?)^ *```/gm)].flatMap(([, lines = ""]) => lines.trim().split("\n"));
	const inline = [...text.matchAll(/`(npm (?:run (?:-s )?[\w-]+ -- |ci|test).*?)`/g)].map(([, command = ""]) => command);
	const isOurs = (command: string) => !/^rclone|^endpoint=|^done$|\.\.\./.test(command);
	return {
		fences: fences
			.map((line) => line.trim())
			.filter(isOurs)
			.map(normalize),
		inline: inline.filter(isOurs).map(normalize),
	};
}

const PAGES = ["deploying", "operations", "data", "backup", "full-database"].map((name) => `docs/pages/operating/${name}.mdx`);

function expectPages(played: readonly string[]): void {
	const documented = PAGES.map(commandsOf).flatMap(({ fences, inline }) => [...fences, ...inline]);
	const adminName = (command: string) => /npm run (?:-s )?admin -- ([\w-]+)/.exec(command)?.[1];
	const isExplained = (command: string) => command in NOT_PLAYED || OWN_COMMANDS.includes(adminName(command) ?? "");
	expect(documented.filter((command) => !played.includes(command) && !isExplained(command))).toEqual([]);
	expect(played.filter((command) => !documented.includes(command))).toEqual([]);
	expect(Object.keys(NOT_PLAYED).filter((command) => !documented.includes(command))).toEqual([]);
	const { fences } = commandsOf("docs/pages/operating/deploying.mdx");
	const order = fences.filter((command) => played.includes(command)).map((command) => played.indexOf(command));
	expect(order.length).toBeGreaterThan(8);
	expect(order).toEqual(order.toSorted((one, other) => one - other));
}

it("the rehearsal plays the commands of the operators' pages in their order, one line per step", async () => {
	const { code, stdout, stderr } = await runScript("rehearse.ts");
	expect(code, stderr).toBe(0);
	const lines = stdout.split("\n").filter((line) => line.startsWith("ok  "));
	expect(lines.map((line) => line.replace(/^ok {2}(.*) \(\d+ ms\)$/, "$1"))).toEqual(STEPS);
	expect(stdout.trim()).toMatch(/Every step of the rehearsal has worked\.$/);
	expectPages([...stdout.matchAll(/^ {4}\$ (.*)$/gm)].map(([, command = ""]) => normalize(command)));
}, 900_000);

it("the rehearsal ends at the first failing step, with its line and exit code 1", async () => {
	const { code, stdout, stderr } = await runScript("smoke.ts", ["--url", "http://127.0.0.1:1"]);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "FAILED  GET /health\n" });
	expect(stderr).toContain("http://127.0.0.1:1/health did not respond");
});
