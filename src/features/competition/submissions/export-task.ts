// The verb exportTask: every submission of a task with its scores and their reasons, streamed as CSV or JSON Lines.
import { desc, lt } from "drizzle-orm";
import { submissions } from "../../../db/task/schema/submissions.ts";
import type { ExportFormat } from "../../../domain/export-formats.ts";
import { streamText } from "../../../http/stream-text.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { readReport } from "../judgements/reports.ts";
import { readCriteria, readOwnTask } from "../tasks/store.ts";
import { EXPORT_CONTENT_TYPES, viewFacts, WRITERS } from "./export-format.ts";
import type { SubmissionRow } from "./store.ts";
import { viewDimensions } from "./views.ts";

const PAGE_ROWS = 200;
/** A page is sent once its reasons are this long. The object sends at most 32 MB at once. */
const PAGE_CHARACTERS = 2_000_000;

interface ExportPage {
	readonly by: string;
	/** Submissions with smaller ids, which are older ones; null for the first page. */
	readonly before: string | null;
}

/** A page of a task's submissions with the reasons behind their scores, newest first. */
export const readExportPage = taskVerb("readExportPage", (store, { by, before }: ExportPage) => {
	const { evalMode, llmWeight } = readOwnTask(store, by);
	const rows = store.db
		.select()
		.from(submissions)
		.where(before === null ? undefined : lt(submissions.id, before))
		.orderBy(desc(submissions.id))
		.limit(PAGE_ROWS)
		.all();
	const page: { facts: ReturnType<typeof viewFacts>; dimensions: ReturnType<typeof viewDimensions> }[] = [];
	let characters = 0;
	for (const row of rows) {
		const dimensions = viewDimensions(readShownReport(store, row), { evalMode, llmWeight });
		page.push({ facts: viewFacts(row), dimensions });
		characters += dimensions.reduce((sum, { reasoning }) => sum + reasoning.length, 0);
		if (characters > PAGE_CHARACTERS) break;
	}
	const isLast = page.length === rows.length && rows.length < PAGE_ROWS;
	return { page, criteria: readCriteria(store).map(({ name }) => name), next: isLast ? null : (page.at(-1)?.facts.submission_id ?? null) };
});

/** @throws Error when the report is missing: an export without it would look as if there were no reasons. */
function readShownReport(store: TaskStore, { id, evaluated, shownEvaluationId }: SubmissionRow) {
	if (!evaluated || shownEvaluationId === null) return null;
	const report = readReport(store, shownEvaluationId);
	if (report === null) throw new Error(`The report of submission ${id} is missing.`);
	return report;
}

/**
 * Streams all submissions of the caller's task, newest first, in every state of the task. Contract: additions, "The poster's loop". When
 * a page cannot be read, the body breaks off.
 *
 * @throws AppError `NOT_FOUND`, `FORBIDDEN`.
 */
export async function exportTask(ctx: Ctx, taskId: string, format: ExportFormat): Promise<Response> {
	const read = (before: string | null) =>
		ctx.hubs.callTask(taskId, readExportPage, { input: { by: ctx.actor.agentId, before }, now: ctx.clock.now() });
	return new Response(streamText(writePages(format, await read(null), read)), {
		headers: {
			"Content-Type": EXPORT_CONTENT_TYPES[format],
			"Content-Disposition": `attachment; filename="task-${taskId}-submissions.${format}"`,
		},
	});
}

type Page = ReturnType<(typeof readExportPage)["run"]>;

async function* writePages(format: ExportFormat, first: Page, readAfter: (before: string) => Promise<Page>): AsyncGenerator<string, void> {
	const { criteria } = first;
	const heading = WRITERS[format].heading(criteria);
	if (heading !== "") yield heading;
	for (let part = first; ; part = await readAfter(part.next)) {
		yield part.page.map((submission) => WRITERS[format].line(submission, criteria)).join("");
		if (part.next === null) return;
	}
}
