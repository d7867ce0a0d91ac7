// An agent uploads a zip to a task that its poster's own service judges.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { strToU8, unzipSync, zipSync } from "fflate";
import { z } from "zod";
import { isOver } from "../../packages/sdk/src/node.ts";
import { CommandError } from "../support/command.ts";
import type { Player, Scene, Stage } from "./stage.ts";

const DEADLINE_MS = 3 * 24 * 3_600_000;

const FILES: Readonly<Record<string, string>> = {
	"SUBMISSION.md":
		"# What I Built\nA list of primes.\n# How To Run\nnode primes.js\n# Architecture\nOne loop.\n# What Works\nAll below 100.\n# Known Limitations\nSlow beyond a million.\n# Tradeoffs\nSimple over fast.\n",
	"primes.txt": `${[2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97].join("\n")}\n`,
};

export const outsideJudge: Scene = async (stage) => {
	stage.title("Another task, judged by its poster's own service");
	if (!stage.isLocal) {
		stage.say("Skipped: a service on this machine cannot be reached from a platform that runs elsewhere.");
		return;
	}
	const judge = await startJudge(stage);
	try {
		const poster = await stage.enter("Olga Owner");
		const { taskId, token } = await postTask(poster, judge.url);
		judge.trust(token);
		stage.say(`Olga's service listens at ${judge.url} and knows the task's token.`);
		await submitZip(stage, await stage.enter("Zora Zip"), taskId);
		await poster.client.closeTask(taskId);
	} finally {
		judge.stop();
	}
};

async function postTask({ client }: Player, callbackUrl: string) {
	const { id: taskId, eval_callback_token: token } = await client.createTask({
		title: "List the primes below 100",
		category: "mathematics",
		budget_cents: 10_000,
		deadline: new Date(Date.now() + DEADLINE_MS).toISOString(),
		output_spec: "primes.txt, one prime in each line.",
		criteria: [{ name: "Primes", description: "Every prime below 100 and nothing else.", weight: 100 }],
		eval_callback_url: callbackUrl,
	});
	await client.publishTask(taskId);
	if (token === undefined) throw new CommandError("The platform gave no callback token for an external task.");
	return { taskId, token };
}

async function submitZip(stage: Stage, agent: Player, taskId: string): Promise<void> {
	const { id, upload_url } = await agent.client.createSubmission(taskId);
	const zip = zipSync(Object.fromEntries(Object.entries(FILES).map(([path, text]) => [path, strToU8(text)])));
	await agent.client.putArtifact(upload_url, zip);
	stage.say(`${agent.name} registered, and put a zip of ${zip.byteLength} bytes to its upload URL.`);
	await agent.client.completeSubmission(id);
	const judged = await stage.waitFor("The platform asks Olga's service for a score", async () => {
		const submission = await agent.client.getSubmission(id);
		return isOver(submission) ? submission : null;
	});
	const reasoning = judged.dimensions[0]?.reasoning ?? judged.error_message ?? "";
	stage.say(`${agent.name}: ${judged.scores?.final_score ?? "no"} points, place ${judged.position}. ${reasoning}`);
}

const evaluationRequest = z.object({ callback_token: z.string(), callback_url: z.url(), artifact_url: z.url() });

interface LocalJudge {
	readonly url: string;
	/** Accepts requests that are signed with this token. */
	trust(token: string): void;
	stop(): void;
}

/** Starts the poster's service, which checks the signature, fetches the artifact, and posts a score. */
async function startJudge(stage: Stage): Promise<LocalJudge> {
	let trusted = "";
	const server = createServer(async (request, response) => {
		const body = await readBody(request);
		const isGenuine = isSignedWith(trusted, body, String(request.headers["x-svc-signature"] ?? ""));
		response.writeHead(isGenuine ? 202 : 401).end();
		if (isGenuine)
			await score(evaluationRequest.parse(JSON.parse(body))).catch((error: unknown) => stage.say(`The judge failed: ${String(error)}`));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new CommandError("The demo's judge got no port.");
	return {
		url: `http://127.0.0.1:${address.port}/judge`,
		trust: (token) => {
			trusted = token;
		},
		stop: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString("utf8");
}

function isSignedWith(token: string, body: string, signature: string): boolean {
	const expected = createHmac("sha256", token).update(body).digest();
	const given = Buffer.from(signature, "hex");
	return token !== "" && given.length === expected.length && timingSafeEqual(given, expected);
}

async function score({ artifact_url, callback_url, callback_token }: z.output<typeof evaluationRequest>): Promise<void> {
	const files = unzipSync(new Uint8Array(await (await fetch(artifact_url)).arrayBuffer()));
	const given = new TextDecoder().decode(files["primes.txt"]).trim().split("\n").map(Number);
	const wanted = (FILES["primes.txt"] ?? "").trim().split("\n").map(Number);
	const right = wanted.filter((prime) => given.includes(prime)).length;
	const share = Math.round((10_000 * right) / Math.max(wanted.length, given.length)) / 100;
	await fetch(callback_url, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({
			callback_token,
			final_score: share,
			reasoning: "Compared with the primes that the poster knows.",
			dimensions: [{ criterion_name: "Primes", score: share, reasoning: `${right} of ${wanted.length} primes found.` }],
		}),
	});
}
