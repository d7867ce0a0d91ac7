// Tries a poster's image on a submission, in the same way as the platform's grader: npm run grade -- <image> <folder or zip>
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gradeSubmission } from "../grader/grade.ts";
import { openWorkshop, StartFault } from "../grader/program.ts";
import { readWorkshopSettings } from "../grader/settings.ts";
import { type GradingRequest, gradingRequest } from "../src/ports/grading.ts";
import { packSubmission, readGradingTask, readSuite, serveOnce } from "./grade/material.ts";
import { formatGrading } from "./grade/report.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { stopSignal } from "./support/stop-signal.ts";

const USAGE = `Usage: npm run grade -- <image> <folder or zip> [option...]

  --task <file>        JSON with "criteria" (name, weight, description), like the body that creates a task
  --test-suite <file>  JSON with "test_cases", as a task's owner uploads it
  --memory <MB>        512 to 4096; default 1024
  --timeout <seconds>  1 to 3600; default 600
  --network            lets the image reach the internet
  --json               prints the result as JSON

Exit code 0: graded. Anything else: 1.
The engine is docker or podman, the first that responds, or the one in CONTAINER_ENGINE. docs/grader.md describes how to write an image.`;

const OPTION_OF: Readonly<Record<string, string>> = { image: "The image", memory_mb: "--memory", timeout_s: "--timeout", task: "--task" };

await runCommand(async () => {
	const options = {
		task: { type: "string" },
		"test-suite": { type: "string" },
		memory: { type: "string", default: "1024" },
		timeout: { type: "string", default: "600" },
		network: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	} as const;
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	const [image, path] = positionals;
	if (values.help) return console.log(USAGE);
	if (image === undefined || path === undefined || positionals.length > 2) throw new CommandError(USAGE);
	const task = await readGradingTask(values.task);
	const suite = values["test-suite"] === undefined ? null : await readSuite(values["test-suite"]);
	const files = await serveOnce({ artifact: await packSubmission(path), suite });
	try {
		const request = checkRequest({
			id: "local",
			image,
			image_digest: null,
			artifact_url: files.artifactUrl,
			test_suite_url: files.suiteUrl,
			task,
			memory_mb: Number(values.memory),
			timeout_s: Number(values.timeout),
			network: values.network,
		});
		const result = await grade(request, { isQuiet: values.json });
		console.log(values.json ? JSON.stringify(result, null, 2) : formatGrading(result, { image, task }));
		if (result.outcome !== "graded") process.exitCode = 1;
	} finally {
		files.stop();
	}
});

function checkRequest(request: GradingRequest): GradingRequest {
	const parsed = gradingRequest.safeParse(request);
	if (parsed.success) return parsed.data;
	const faults = parsed.error.issues.map(({ path: [field = ""], message }) => `${OPTION_OF[String(field)] ?? String(field)}: ${message}`);
	throw new CommandError(faults.join("\n"));
}

async function grade(request: GradingRequest, { isQuiet }: { isQuiet: boolean }) {
	const folder = await mkdtemp(join(tmpdir(), "bounty-grade-"));
	const signal = stopSignal();
	const logFault = (error: unknown) => console.error(error);
	try {
		const workshop = await openWorkshop(readSettings(folder), logFault);
		const report = (_: string, progress: string) => {
			if (!isQuiet) console.error(progress);
		};
		try {
			return await gradeSubmission(request, { signal, report }, workshop.options);
		} finally {
			await workshop.close();
		}
	} catch (error) {
		if (signal.aborted) throw new CommandError("Stopped.");
		throw error instanceof StartFault ? new CommandError(error.message) : error;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

function readSettings(folder: string) {
	const settings = readWorkshopSettings({ ...process.env, WORK_FOLDER: folder });
	if ("WORK_FOLDER" in settings) return settings;
	throw new CommandError(settings.join("\n"));
}
