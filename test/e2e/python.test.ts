// Tests the Python package as its users get it: the wheel, installed into an empty folder, against a platform.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { identityOfDeployment } from "../../scripts/site/package-identity.ts";
import { packWheel } from "../../scripts/site/python.ts";
import { type Home, makeHome, runCommandLine, type StartedPlatform, startAtHome } from "../support/commands.ts";
import { HAS_CRYPTOGRAPHY, NO_PYTHON, PYTHON } from "../support/python.ts";
import { PROJECT_ROOT } from "../support/samples.ts";
import {
	DELIVERY_BODY,
	KEY_TIMES,
	LISTED_EVALUATION,
	makeReceiptSigner,
	OTHER_SECRET,
	RECEIPT_CHANGES,
	RECEIPT_CLAIMS,
	signDelivery,
	TEST_TASK_RECEIPT,
	tamperedDeliveries,
	WEBHOOK_SECRET,
} from "../support/verification-vectors.ts";

const LOOP_TIMEOUT_MS = 600_000;
const IDENTITY = identityOfDeployment({});
const TESTS = join(PROJECT_ROOT, "packages", "python", "tests");
const resultSchema = z.object({
	deliveries: z.array(z.string()),
	receipts: z.array(z.union([z.string(), z.array(z.string())])),
	signed: z.record(z.string(), z.string()),
});

let folder = "";
let home: Home;
let platform: StartedPlatform;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "python-installed-"));
	const { filename, archive } = await packWheel(IDENTITY);
	await writeFile(join(folder, filename), archive);
	if (PYTHON === null) return;
	// A wheel is a zip, and pip only unpacks one like this.
	const unpacked = spawnSync(PYTHON, ["-m", "zipfile", "-e", join(folder, filename), folder], { encoding: "utf8" });
	if (unpacked.status !== 0) throw new Error(unpacked.stderr);
	home = await makeHome();
	platform = await startAtHome(home);
}, LOOP_TIMEOUT_MS);

afterAll(async () => {
	await platform?.stop("SIGTERM");
	await home?.remove();
	await rm(folder, { recursive: true, force: true });
});

/** Runs Python with the installed package and nothing of the project. */
function runPython(args: readonly string[]) {
	const env = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1", BOUNTY_URL: "", BOUNTY_API_KEY: "" };
	return runCommandLine([PYTHON ?? "python3", ...args], { cwd: folder, env });
}

describe("the wheel", () => {
	it("lists each of its files with its hash, and always has the same bytes", async () => {
		const [first, second] = [await packWheel(IDENTITY), await packWheel(IDENTITY)];
		expect(Buffer.from(first.archive).equals(Buffer.from(second.archive))).toBe(true);
		const { version } = JSON.parse(await readFile(join(PROJECT_ROOT, "packages", "sdk", "package.json"), "utf8"));
		expect(first.version.split("+")).toEqual([version, expect.stringMatching(/^[0-9a-f]{12}$/)]);
		expect(first.filename).toBe(`bounty_platform-${first.version}-py3-none-any.whl`);
		const source = await readFile(join(PROJECT_ROOT, "packages", "python", "src", "bounty_platform", "_version.py"), "utf8");
		expect(source).toContain(`__version__ = "${version}"`);
	});
});

const whenPossible = PYTHON === null ? it.skip : it;
const reason = PYTHON === null ? `: ${NO_PYTHON}` : "";

describe("the installed Python package", () => {
	whenPossible(`is what its record says${reason}`, async () => {
		const check = `
import base64, hashlib, pathlib
record = next(pathlib.Path(".").glob("*.dist-info/RECORD"))
rows = [line.rsplit(",", 2) for line in record.read_text().splitlines()]
for path, digest, size in rows[:-1]:
    content = pathlib.Path(path).read_bytes()
    assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("="), path
    assert len(content) == int(size)
import importlib.metadata
print(importlib.metadata.version("bounty-platform"), importlib.metadata.requires("bounty-platform"))
`;
		const { code, stdout, stderr } = await runPython(["-c", check]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{12} \['httpx>=0\.23,<1', 'pydantic>=1\.10,<3', "?'?cryptography/);
	});

	whenPossible(
		`passes its own tests${reason}`,
		async () => {
			expect((await readdir(TESTS)).filter((name) => name.startsWith("test_")).length).toBeGreaterThan(1);
			const { code, stderr } = await runPython(["-W", "error", "-m", "unittest", "discover", "-s", TESTS]);
			expect(stderr).toMatch(/Ran \d\d tests/);
			expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
		},
		LOOP_TIMEOUT_MS,
	);

	whenPossible(
		`has a README whose samples run, one after the other${reason}`,
		async () => {
			const source = await readFile(join(PROJECT_ROOT, "packages/python/README.md"), "utf8");
			const samples = [...source.matchAll(/^```py\n(.*?)^```/gms)].map(([, sample = ""]) => sample);
			const program = samples.join("\n").replaceAll("https://bounties.example", platform.url);
			const { code, stdout, stderr } = await runPython(["-c", program]);
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
			expect(stdout).toMatch(/^completed \d+/m);
			expect(stdout).toMatch(/^terminal closed$/m);
			expect(stdout).toContain("['TASK_NOT_OPEN']");
			expect(stdout).toMatch(/^NOT_FOUND [0-9a-f-]{36}$/m);
		},
		LOOP_TIMEOUT_MS,
	);

	whenPossible(
		`goes through the whole loop${reason}`,
		async () => {
			const { code, stdout, stderr } = await runPython([join(TESTS, "loop.py"), platform.url, "198.51.100.77"]);
			expect({ code, stdout, stderr: code === 0 ? "" : stderr }).toEqual({
				code: 0,
				stdout: expect.stringMatching(/^done \d+\.\d+\.\d+\n$/),
				stderr: "",
			});
		},
		LOOP_TIMEOUT_MS,
	);

	(HAS_CRYPTOGRAPHY ? it : it.skip)(
		`verifies what other libraries have signed${HAS_CRYPTOGRAPHY ? "" : ": cryptography is missing"}`,
		async () => {
			const genuine = [
				{ headers: signDelivery(), secret: WEBHOOK_SECRET, scheme: "standard" },
				{ headers: signDelivery(), secret: WEBHOOK_SECRET, scheme: "svc" },
				{ headers: rotated(), secret: WEBHOOK_SECRET, scheme: "standard" },
				{ headers: rotated(), secret: OTHER_SECRET, scheme: "standard" },
				{ headers: rotated(), secret: WEBHOOK_SECRET, scheme: "svc" },
			].map((each) => ({ ...each, body: DELIVERY_BODY }));
			const tampered = tamperedDeliveries().map((each) => ({ ...each, secret: WEBHOOK_SECRET }));
			const { keys, sign, keyOf } = await makeReceiptSigner();
			const receipts = [{ evaluation: { ...LISTED_EVALUATION, receipt: await sign(RECEIPT_CLAIMS) }, keys }];
			for (const [, listed, claims] of RECEIPT_CHANGES) {
				receipts.push({ evaluation: { ...LISTED_EVALUATION, ...listed, receipt: await sign({ ...RECEIPT_CLAIMS, ...claims }) }, keys });
			}
			for (const [times] of KEY_TIMES)
				receipts.push({ evaluation: { ...LISTED_EVALUATION, receipt: await sign(RECEIPT_CLAIMS) }, keys: keyOf(times) });
			const ofTest = TEST_TASK_RECEIPT;
			receipts.push({ evaluation: { ...ofTest.listed, receipt: await sign(ofTest.claims) }, keys });
			const broken = [await sign(RECEIPT_CLAIMS, { typ: "JWT" }), `${await sign(RECEIPT_CLAIMS)}=`, "a.b.c"];
			for (const receipt of broken) receipts.push({ evaluation: { ...LISTED_EVALUATION, receipt }, keys });
			const vectors = { deliveries: [...genuine, ...tampered], receipts, body: DELIVERY_BODY, secret: WEBHOOK_SECRET };
			await writeFile(join(folder, "vectors.json"), JSON.stringify(vectors));
			const { stdout, stderr } = await runPython([join(TESTS, "vectors.py"), join(folder, "vectors.json")]);
			expect(stderr).toBe("");
			const result = resultSchema.parse(JSON.parse(stdout));
			expect(result.deliveries).toEqual([...genuine.map(() => "accepted"), ...tampered.map(() => "rejected")]);
			expect(result.receipts[0]).toEqual(["criteria", "llm", "final"]);
			for (const [index, [, , , message]] of RECEIPT_CHANGES.entries()) expect(result.receipts[index + 1]).toMatch(message);
			for (const [index, [, fault]] of KEY_TIMES.entries()) {
				const verified = result.receipts[1 + RECEIPT_CHANGES.length + index];
				expect(verified).toEqual(fault === null ? ["criteria", "llm", "final"] : expect.stringMatching(fault));
			}
			expect(result.receipts.at(-broken.length - 1)).toEqual(["criteria", "llm", "final"]);
			for (const message of result.receipts.slice(-broken.length)) expect(typeof message).toBe("string");
			expect(() => new Webhook(WEBHOOK_SECRET).verify(DELIVERY_BODY, result.signed)).not.toThrow();
		},
	);
});

/** Returns a delivery while a rotated secret signs first. */
function rotated(): Record<string, string> {
	const [first, second] = [signDelivery({ key: OTHER_SECRET }), signDelivery()];
	return {
		...first,
		"webhook-signature": `${first["webhook-signature"]} ${second["webhook-signature"]}`,
		"x-svc-signature-previous": second["X-Svc-Signature"] ?? "",
	};
}
