// Shows the scores of a running judge check as they arrive.
import { render } from "hono/jsx/dom";
import { type JudgeCheckOf, JudgeCheckResult } from "../../src/extensions/pages/judge-check.tsx";

/** Public responses are cached for this long. */
const EVERY_MS = 5_000;
/** A page that stays open does not poll forever, even if a check never ends. */
const MAX_READS = 120;

export function followJudgeCheck(): void {
	const section = document.querySelector<HTMLElement>("[data-running-check]");
	if (section !== null) readLater(section, MAX_READS);
}

function readLater(section: HTMLElement, reads: number): void {
	setTimeout(() => void show(section, reads - 1), EVERY_MS);
}

async function show(section: HTMLElement, readsLeft: number): Promise<void> {
	const check = document.hidden ? null : await readCheck(section.dataset["runningCheck"] ?? "");
	if (check !== null) render(<JudgeCheckResult check={check} />, section);
	if (readsLeft > 0 && (check === null || check.status === "running")) readLater(section, readsLeft);
}

/** Reads the judge check. Returns null if the task has none, or if the platform does not respond, because the next request may succeed. */
async function readCheck(taskId: string): Promise<JudgeCheckOf | null> {
	try {
		const response = await fetch(`/api/public/tasks/${taskId}`);
		const task: { readonly judge_check: JudgeCheckOf | null } | null = response.ok ? await response.json() : null;
		return task?.judge_check ?? null;
	} catch {
		return null;
	}
}
