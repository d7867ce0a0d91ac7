import { sql } from "drizzle-orm";
import { signatures } from "../../../db/task/schema/submissions.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { groupSigned } from "../../similarity/service.ts";

/** Groups submissions whose artifacts are nearly identical, see {@link groupSigned}. */
export function groupNearIdentical({ db }: TaskStore, submissionIds: readonly string[]): string[][] {
	const isWanted = sql`${signatures.submissionId} in (select value from json_each(${JSON.stringify(submissionIds)}))`;
	return groupSigned(submissionIds, db.select().from(signatures).where(isWanted).all());
}
