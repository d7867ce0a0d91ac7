// The platform without extensions, which `EXTENSIONS=none npm start` runs. Has the same exports as whole.ts.
import type { MiddlewareHandler } from "hono";
import { evaluationJob } from "../core/competition/evaluation/evaluate-submission.ts";
import type { JobKind } from "../core/competition/evaluation/job-kind.ts";
import { stopRunsJob } from "../core/competition/evaluation/stop-runs.ts";
import type { ErrorForm } from "../http/error-handler.ts";
import type { HonoEnv } from "../http/hono-env.ts";
import type { EventListener } from "../ports/deps.ts";
import type { Extension } from "../ports/extension.ts";
import type { AddedSweeps, BearerKind, CronDuty, Inspection } from "../ports/joints.ts";
import { coreOperations } from "./core-operations.ts";
import { makeTaskParts } from "./task-parts.ts";

export const operations = coreOperations;

export const JOBS: readonly JobKind[] = [stopRunsJob, evaluationJob];

export const INSPECTIONS: readonly Inspection[] = [];

export const TASK_PARTS = makeTaskParts({
	jobs: JOBS,
	inspections: INSPECTIONS,
	steps: { published: [], ended: [] },
	listeners: [],
	duties: [],
	holdings: [],
});

export const ERROR_FORMS: readonly ErrorForm[] = [];

export function createMiddlewares(): MiddlewareHandler<HonoEnv>[] {
	return [];
}

export const ADDED_SWEEPS: AddedSweeps = {};

export const BEARERS: readonly BearerKind[] = [];

export const CRON_DUTIES: readonly CronDuty[] = [];

export const DIRECTORY_LISTENERS: readonly EventListener[] = [];

export const EXTENSIONS: readonly Extension[] = [];
