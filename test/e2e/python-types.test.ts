// Tests the types of the Python package as strict checkers see them: the wheel in an environment of its own, and each example of the
// documentation.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityOfDeployment } from "../../scripts/site/package-identity.ts";
import { packWheel } from "../../scripts/site/python.ts";
import { runCommandLine } from "../support/commands.ts";
import { isProgram, PROJECT_ROOT, parsePage, readPages } from "../support/samples.ts";

const TIMEOUT_MS = 300_000;
const CHECKERS = { mypy: "2.4.1", pyright: "1.1.414" } as const;
const DEPENDENCIES = ["httpx==0.28.1", "pydantic==2.14.4", "cryptography"];
/** An event of a stream or of a webhook says by its name what it carries, and a wrong field is an error. */
const NARROWING = `from http.server import BaseHTTPRequestHandler
from typing import List
from bounty_platform import BountyClient, WebhookEvent, models, verify_webhook

boards: List[models.PublicLeaderboard] = []
states: List[models.TaskState] = []
for event in BountyClient().stream_public_task("t"):
    if event.type == "leaderboard":
        boards.append(event.data)
    else:
        states.append(event.data)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        received: WebhookEvent = verify_webhook(self.headers, b"", "secret")
        if received.event == "webhook.test":
            self.wfile.write(received.challenge.encode())
`;
const WRONG = `from bounty_platform import verify_webhook

event = verify_webhook({}, b"", "secret")
if event.event == "submission.completed":
    print(event.challenge)
`;
const canMakeEnvironments = spawnSync("python3", ["-c", "import venv, ensurepip"], { stdio: "ignore" }).status === 0;

let folder = "";
let python = "";

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "python-types-"));
	if (!canMakeEnvironments) return;
	const { filename, archive } = await packWheel(identityOfDeployment({}));
	await writeFile(join(folder, filename), archive);
	await run("python3", "-m", "venv", "environment");
	python = join(folder, "environment", "bin", "python");
	await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
	await Promise.all([
		run(python, "-m", "pip", "install", "--quiet", `mypy==${CHECKERS.mypy}`, ...DEPENDENCIES, join(folder, filename)),
		run("npm", "install", `pyright@${CHECKERS.pyright}`, "--no-audit", "--no-fund"),
	]);
	await writeExamples();
}, TIMEOUT_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The examples of a page continue each other. An example with a file name is a program of its own. */
async function writeExamples(): Promise<void> {
	const readme = parsePage("readme", await readFile(join(PROJECT_ROOT, "packages", "python", "README.md"), "utf8"));
	await mkdir(join(folder, "examples"));
	for (const page of [readme, ...readPages()]) {
		const ofPage = page.samples.filter(({ language }) => language === "py");
		const alone = ofPage.filter(({ meta }) => meta["file"] !== undefined);
		const continued = ofPage.filter((sample) => isProgram(sample) || page === readme);
		expect(alone.length + continued.length, page.slug).toBe(ofPage.length);
		const name = page.slug.replace(/\W/g, "_");
		for (const { meta, code } of alone) await writeFile(join(folder, "examples", `${name}_${meta["file"]}`), code);
		if (continued.length > 0) await writeFile(join(folder, "examples", `${name}.py`), continued.map(({ code }) => code).join("\n"));
	}
	await writeFile(join(folder, "examples", "narrowing.py"), NARROWING);
	await mkdir(join(folder, "wrong"));
	await writeFile(join(folder, "wrong", "field.py"), WRONG);
}

async function run(...command: readonly [string, ...string[]]): Promise<void> {
	const { code, stdout, stderr } = await runCommandLine(command, { cwd: folder });
	if (code !== 0) throw new Error(`${command.join(" ")} failed:\n${stdout}${stderr}`);
}

const check = {
	mypy: (target: string) => runCommandLine([python, "-m", "mypy", "--strict", "--no-incremental", target], { cwd: folder }),
	pyright: (target: string) => runCommandLine(["node_modules/.bin/pyright", "--pythonpath", python, target], { cwd: folder }),
};

(canMakeEnvironments ? describe : describe.skip)("the types of the Python package", () => {
	it.each(["mypy", "pyright"] as const)(
		"fit each example, says a strict %s",
		async (checker) => {
			const { code, stdout } = await check[checker]("examples");
			expect({ code, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stdout: "" });
			expect(stdout).toMatch(/Success: no issues found in (1[2-9]|[2-9]\d) source files|^0 errors/m);
		},
		TIMEOUT_MS,
	);

	it.each(["mypy", "pyright"] as const)(
		"let %s find a field that an event does not have",
		async (checker) => {
			const { code, stdout } = await check[checker]("wrong");
			expect({ code, isFound: /challenge/.test(stdout) && /SubmissionCompletedEvent/.test(stdout) }).toEqual({ code: 1, isFound: true });
		},
		TIMEOUT_MS,
	);
});
