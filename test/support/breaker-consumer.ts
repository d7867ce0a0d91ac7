// A Worker that judges as a consumer does, with the real board, object and judge. Its requests say what time it is and what the model does.
import { z } from "zod";
import { createSupplierBoard } from "../../src/core/judging/breaker/board.ts";
import { findWait, openReports } from "../../src/core/judging/breaker/reports.ts";
import { createModelJudge } from "../../src/core/judging/engine/model-judge.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { consoleLog } from "../../src/platform/log.ts";
import type { WatchPort } from "../../src/ports/watch.ts";
import { judgeSettings } from "./judging.ts";
import { answer, readPrompt } from "./model-prompts.ts";

export { Watch } from "../../src/durable-objects/watch.ts";

const evaluation = z.object({ subjectId: z.string(), now: z.number(), status: z.number() });

export type ConsumerRequest = z.infer<typeof evaluation>;

/** Says how the attempt ended, and how many calls reached the model. */
export interface ConsumerReply {
	readonly kind: "finished" | "waiting";
	readonly message: string;
	readonly calls: number;
}

const SETTINGS = judgeSettings({ JUDGE_MODELS: "openai:m", JUDGE_API_KEY: "key" });

const board = createSupplierBoard();

interface Bindings {
	readonly WATCH: { getByName(name: string): WatchPort };
}

export default {
	async fetch(request: Request, env: Bindings, ctx: Pick<ExecutionContext, "waitUntil">): Promise<Response> {
		const { subjectId, now, status } = evaluation.parse(await request.json());
		let calls = 0;
		const clock = { ...systemClock, now: () => now };
		const fetch = async (_url: string, init: RequestInit) => {
			calls += 1;
			if (status !== 200) return Response.json({ error: { message: "Down." } }, { status });
			const content = JSON.stringify(answer(readPrompt(JSON.parse(String(init.body)))));
			return Response.json({ choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }], usage: {} });
		};
		const judge = createModelJudge({ clock, fetch }, SETTINGS, null);
		const work: Promise<unknown>[] = [];
		const deps = {
			...{ clock, log: consoleLog, suppliers: board },
			hubs: { callWatch: <T>(call: (watch: WatchPort) => Promise<T>) => call(env.WATCH.getByName("watch")) },
			background: (promise: Promise<unknown>) => void work.push(promise),
		};
		const suppliers = await openReports(deps, { subjectId, judges: [judge] });
		const wait = findWait([judge], suppliers);
		if (wait !== null) return reply({ kind: "waiting", message: wait.message, calls });
		const attempt = { suppliers, requestId: null, kept: null, keep() {}, onCall() {} };
		const outcome = await judge.evaluate(REQUEST, attempt);
		ctx.waitUntil(Promise.all(work));
		await Promise.all(work);
		return reply({ kind: outcome.kind, message: outcome.kind === "waiting" ? outcome.wait.message : "", calls });
	},
};

const REQUEST = {
	task: { title: "Parse CSV", description: "Write a parser.", inputSpec: null, outputSpec: null, attachments: [] },
	criteria: [{ name: "Parser", description: null, checks: ["It splits lines"], evidence: "work", wholeChecks: [] }],
	files: [{ path: "src/parse.ts", text: 'export const lines = (text: string) => text.split("\\n");' }],
	...{ unreadPaths: [], missingSections: [], facts: [], samples: 1 },
} as const;

function reply(body: ConsumerReply): Response {
	return Response.json(body);
}
