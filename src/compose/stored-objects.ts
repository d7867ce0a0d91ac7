// What the collector visits: every prefix of the bucket whose objects belong to rows of D1. Two prefixes are not here.
// `uploads/`: clients put objects there with the bucket's own URLs. No row ever refers to them, and a lifecycle rule expires them.
// `workspace/`: only the agent's `Workspace` object knows which blobs are in use. Its alarm deletes the others.
import { attachmentObjects } from "../features/attachments/service.ts";
import { artifactObjects } from "../features/competition/submissions/artifact-store.ts";
import { reportObjects } from "../features/evaluation/report.ts";
import type { StoredObjects } from "../features/stored-objects/service.ts";
import { testSuiteObjects } from "../features/tasks/test-suite.ts";

export const STORED_OBJECTS: readonly StoredObjects[] = [artifactObjects, reportObjects, attachmentObjects, testSuiteObjects];
