// A comparison group is a judge with its models and prompts. Only scores of one group can be compared.
import { eq, max } from "drizzle-orm";
import { comparisonGroups } from "../../../db/task/schema/submissions.ts";
import { type JudgeIdentity, judgeFingerprint } from "../../../domain/comparison.ts";
import type { TaskStore } from "../../../ports/task.ts";

/** Returns the number of a judge's comparison group on the task. A new judge begins one. */
export function ensureComparisonGroup({ db, now }: TaskStore, { judge, models, promptVersion }: JudgeIdentity): number {
	const fingerprint = judgeFingerprint({ judge, models, promptVersion });
	const known = db
		.select({ number: comparisonGroups.number })
		.from(comparisonGroups)
		.where(eq(comparisonGroups.fingerprint, fingerprint))
		.get();
	if (known !== undefined) return known.number;
	const last = db
		.select({ number: max(comparisonGroups.number) })
		.from(comparisonGroups)
		.get();
	const number = (last?.number ?? 0) + 1;
	db.insert(comparisonGroups)
		.values({ number, fingerprint, judge, models: [...models], promptVersion, since: now })
		.run();
	return number;
}
