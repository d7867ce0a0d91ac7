// The platform without extensions: `EXTENSIONS=none npm start`. It exports what whole.ts does.
import { evaluationJob } from "../core/competition/evaluation/evaluate-submission.ts";
import type { JobKind } from "../core/competition/evaluation/job-kind.ts";
import { stopRunsJob } from "../core/competition/evaluation/stop-runs.ts";
import type { Extension } from "../ports/extension.ts";
import type { Inspection } from "../ports/joints.ts";
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
});

export const EXTENSIONS: readonly Extension[] = [];
