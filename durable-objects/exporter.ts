import { DurableObject } from "cloudflare:workers";
import { createDeps } from "../src/compose/create-deps.ts";
import { writeExportPart } from "../src/features/submissions/export-part.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import { type ExportPart, NEXT_PART } from "../src/ports/exports.ts";

/** Writes one part of an export. What it reads counts for its own invocation, not for the request that exports. */
export class Exporter extends DurableObject<Env> {
	async write(part: ExportPart): Promise<Response> {
		const background = (work: Promise<unknown>) => {
			this.ctx.waitUntil(work.catch((error: unknown) => consoleLog.error("background_failed", describeError(error))));
		};
		const { lines, next } = await writeExportPart(createDeps({ env: this.env, background, readFrom: "first-primary" }), part);
		return new Response(lines, next === null ? {} : { headers: { [NEXT_PART]: next } });
	}
}
