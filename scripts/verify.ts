// Verifies the receipt of an evaluation, or what publishing a task has fixed, without network: npm run verify -- receipt.json --keys
// jwks.json

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { VerificationError } from "../packages/sdk/src/core/errors.ts";
import { sha256Hex } from "../packages/sdk/src/core/hash.ts";
import { verifyReceipt } from "../packages/sdk/src/receipt/verify.ts";
import { verifyTask } from "../packages/sdk/src/receipt/verify-task.ts";
import { isArgumentFault } from "./support/command.ts";

const USAGE = `Usage: npm run verify -- <receipt.json> --keys <jwks.json> [--task <task.json>] [--artifact <file.zip>]
       npm run verify -- --task <task.json> [--receipt <receipt.json> --keys <jwks.json> | --expect <hex>]

  <receipt.json>  one element of GET /api/v1/submissions/{id}/evaluations; - reads it from standard input
  --receipt       the same
  --keys          a copy of GET /.well-known/jwks.json
  --task          a copy of GET /api/public/tasks/{id} or GET /api/v1/tasks/{id}
  --expect        the task_sha256 of a receipt, or of an earlier copy of the task
  --artifact      the submitted zip, to check that it is the one that was signed

A receipt: checks the signature, compares the element with what was signed, and computes the scores again.
A task: computes task_sha256 again from everything that the judge sees of it, and compares it with the receipt or the value.
Needs no network.
Exit code 0: valid, or a task that was compared with nothing and is consistent with itself. 1: not valid, with what differs. 2: the command cannot be run like this.`;

/** Thrown if the command cannot run with its arguments. */
class UsageFault extends Error {
	override readonly name = "UsageFault";
}

process.exitCode = await main().catch((error: unknown) => {
	if (error instanceof VerificationError) {
		console.error(`NOT VALID\n${error.message}`);
		return 1;
	}
	console.error(error instanceof UsageFault || isArgumentFault(error) ? error.message : error);
	return 2;
});

async function main(): Promise<number> {
	const options = {
		keys: { type: "string" },
		task: { type: "string" },
		receipt: { type: "string" },
		expect: { type: "string" },
		artifact: { type: "string" },
		help: { type: "boolean", default: false },
	} as const;
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	const [path, ...others] = [...positionals, ...(values.receipt === undefined ? [] : [values.receipt])];
	if (values.help) {
		console.log(USAGE);
		return 0;
	}
	const { task, keys, expect, artifact } = values;
	if (path === undefined && task !== undefined && keys === undefined && artifact === undefined) return checkTask(task, expect);
	if (path === undefined || others.length > 0 || keys === undefined || expect !== undefined) throw new UsageFault(USAGE);
	const result = await verifyReceipt(await readJson(path), await readJson(keys), {
		...(task === undefined ? {} : { task: await readJson(task) }),
		...(artifact === undefined ? {} : { artifactSha256: await sha256Hex(await readBytes(artifact)) }),
	});
	console.log(describe(result));
	return 0;
}

async function checkTask(path: string, expected: string | undefined): Promise<number> {
	if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected)) throw new UsageFault("--expect takes 64 hexadecimal digits.");
	const digest = await verifyTask(await readJson(path), expected);
	// Anyone who changes a task can compute its digest again, so a copy that was not compared with anything is not called valid.
	const [verdict, compared] =
		expected === undefined ? ["", "consistent with itself; compare with a receipt or an earlier copy"] : ["VALID\n", "as expected"];
	console.log(`${verdict}task        ${digest}\n${compared}`);
	return 0;
}

function describe({ claims, recomputed, taken }: Awaited<ReturnType<typeof verifyReceipt>>): string {
	return [
		"VALID",
		`task        ${claims.task_sha256}`,
		`submission  ${claims.submission_id}`,
		`evaluation  ${claims.evaluation_id} (${claims.round}), ${new Date(claims.iat * 1000).toISOString()}`,
		`score       ${claims.scores.final}, by ${[claims.judge, ...claims.models].join(", ")}`,
		...(recomputed.length === 0 ? [] : [`recomputed  ${recomputed.join(", ")}`]),
		...taken.map((part) => `not recomputed: ${part}`),
	].join("\n");
}

async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
	try {
		return new Uint8Array(await readFile(path === "-" ? "/dev/stdin" : path));
	} catch (error) {
		throw new UsageFault(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
	}
}

async function readJson(path: string): Promise<unknown> {
	const bytes = await readBytes(path);
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
	} catch (error) {
		throw new VerificationError(`${path} is not JSON: ${error instanceof Error ? error.message : error}`);
	}
}
