// Verifies the receipt of an evaluation, offline: npm run verify -- receipt.json --keys jwks.json

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { VerificationError } from "../packages/sdk/src/core/errors.ts";
import { sha256Hex } from "../packages/sdk/src/core/hash.ts";
import { verifyReceipt } from "../packages/sdk/src/receipt/verify.ts";
import { isArgumentFault } from "./support/command.ts";

const USAGE = `Usage: npm run verify -- <receipt.json> --keys <jwks.json> [--task <task.json>] [--artifact <file.zip>]

  <receipt.json>  one element of GET /api/v1/submissions/{id}/evaluations; - reads it from standard input
  --keys          a copy of GET /.well-known/jwks.json
  --task          a copy of GET /api/v1/tasks/{id}, to check that the rubric is the one that was signed
  --artifact      the submitted zip, to check that it is the one that was signed

Checks the signature, compares the element with what was signed, and computes the scores again. Needs no network.
Exit code 0: valid. 1: not valid, with what differs. 2: the command cannot be run like this.`;

/** The command cannot run with these arguments. */
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
		artifact: { type: "string" },
		help: { type: "boolean", default: false },
	} as const;
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	const [path] = positionals;
	if (values.help) {
		console.log(USAGE);
		return 0;
	}
	if (path === undefined || positionals.length > 1 || values.keys === undefined) throw new UsageFault(USAGE);
	const result = await verifyReceipt(await readJson(path), await readJson(values.keys), {
		...(values.task === undefined ? {} : { task: await readJson(values.task) }),
		...(values.artifact === undefined ? {} : { artifactSha256: await sha256Hex(await readBytes(values.artifact)) }),
	});
	console.log(describe(result));
	return 0;
}

function describe({ claims, recomputed, taken }: Awaited<ReturnType<typeof verifyReceipt>>): string {
	return [
		"VALID",
		`submission  ${claims.submission_id}`,
		`evaluation  ${claims.evaluation_id} (${claims.round}), ${new Date(claims.iat * 1000).toISOString()}`,
		...(claims.judged_artifact_sha256 === undefined
			? []
			: [`judged      the zip ${claims.judged_artifact_sha256}, another submission whose own contribution is the same`]),
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
