// Provides what tests with real containers share: an engine, images, a server of submissions, and graders, all removed in the end.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { FoundEngine } from "../../grader/engine/find.ts";
import type { GradingRequest, GradingResult } from "../../src/ports/grading.ts";
import {
	buildImages,
	type GraderChoices,
	type ImageChoices,
	requireEngine,
	type StartedGrader,
	startGrader,
	type TestImages,
} from "./container-engine.ts";
import { clientOf, type FileServer, type GraderClient, leftoversOf, serveFiles } from "./grader-jobs.ts";

export interface StagedGrader extends StartedGrader, GraderClient {
	readonly workFolder: string;
	/** Submits a job and returns its result. */
	grade(request: GradingRequest): Promise<GradingResult>;
	/** Returns what is left of a job. */
	leftoversOf(id: string): Promise<string[]>;
}

export interface GraderStage<Name extends string> {
	readonly engine: FoundEngine;
	/** Maps each image to its full name. */
	readonly names: Readonly<Record<Name, string>>;
	readonly files: FileServer;
	/** A folder for the test's own files. */
	readonly folder: string;
	/** Starts a grader, in a folder of its own unless it gets one. */
	start(choices?: Partial<GraderChoices>): Promise<StagedGrader>;
}

const SETUP_TIMEOUT_MS = 400_000;

/** Builds the images before the tests of a suite, and removes everything after them. Call it in a suite that is skipped without an engine. */
export function setGraderStage<Name extends string>(choices: Readonly<Record<Name, ImageChoices>>): GraderStage<Name> {
	let stage: {
		readonly engine: FoundEngine;
		readonly images: TestImages<Name>;
		readonly files: FileServer;
		readonly folder: string;
	} | null = null;
	const graders: StartedGrader[] = [];
	const opened = () => {
		if (stage === null) throw new Error("The stage is set before the first test, and not while the suite is collected.");
		return stage;
	};

	beforeAll(async () => {
		const engine = await requireEngine();
		const folder = await realpath(await mkdtemp(join(tmpdir(), "grader-stage-")));
		stage = { engine, folder, files: await serveFiles(), images: await buildImages(engine, choices) };
	}, SETUP_TIMEOUT_MS);

	afterAll(async () => {
		await Promise.all(graders.map((grader) => grader.stop()));
		await stage?.files.stop();
		await stage?.images.remove();
		if (stage !== null) await rm(stage.folder, { recursive: true, force: true });
	});

	return {
		get engine() {
			return opened().engine;
		},
		get names() {
			return opened().images.names;
		},
		get files() {
			return opened().files;
		},
		get folder() {
			return opened().folder;
		},
		async start(change = {}) {
			const { engine, folder } = opened();
			const workFolder = change.workFolder ?? (await mkdtemp(join(folder, "work-")));
			const grader = await startGrader({ ...change, workFolder });
			graders.push(grader);
			const client = clientOf(grader);
			return {
				...grader,
				...client,
				workFolder,
				leftoversOf: (id) => leftoversOf(engine, workFolder, id),
				async grade(request) {
					await client.submit(request);
					return client.finish(request.id);
				},
			};
		},
	};
}
