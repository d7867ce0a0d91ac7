// A judge check that still runs shows its scores as they come.
import { render } from "hono/jsx/dom";
import { type JudgeCheckOf, JudgeCheckResult } from "../../src/extensions/pages/judge-check.tsx";

/** Caches keep a public response for as long. */
const EVERY_MS = 5_000;
/** A page that stays open does not ask for ever, even if a check never ends. */
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

/** Returns null if the platform does not answer, because the next read may succeed. */
async function readCheck(taskId: string): Promise<JudgeCheckOf | null> {
	try {
		const response = await fetch(`/api/public/tasks/${taskId}`);
		const task: { readonly judge_check: JudgeCheckOf | null } | null = response.ok ? await response.json() : null;
		return task?.judge_check ?? null;
	} catch {
		return null;
	}
}
