import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { MODES } from "../../../../src/domain/modes.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { attachmentsKey } from "../../queries/task.ts";
import { isStale } from "../../rules/coach.ts";
import type { Draft } from "../../rules/draft.ts";
import { findPlaceholders } from "../../rules/placeholders.ts";
import { describeFindings } from "../../rules/rubric.ts";
import type { Step } from "../../rules/steps.ts";
import { lintDraft } from "./lint-draft.ts";
import { runsQuery } from "./runs.ts";
import type { TaskDetail } from "./use-wizard.ts";

interface Point {
	readonly id: string;
	/** Undefined while its data loads. The poster can publish with open points, unless the rubric is incomplete. */
	readonly isDone: boolean | undefined;
	readonly text: ReactNode;
	readonly step: Step | null;
}

interface CheckListProps {
	readonly task: TaskDetail;
	readonly draft: Draft;
	readonly isComplete: boolean;
	readonly onGo: (step: Step) => void;
}

/** Lists what a poster should check before publishing, because publishing locks the rubric. Each row links to its step. */
export function CheckList({ task, draft, isComplete, onGo }: CheckListProps) {
	const points = [
		placeholderPoint(task),
		rubricPoint(isComplete),
		lintPoint(draft),
		stalePoint(draft),
		useDryRunPoint(task),
		useAttachmentsPoint(task),
		...termsPoints(task),
		useWalletPoint(),
	];
	return (
		<section className="card" aria-labelledby="check-list">
			<h2 id="check-list">Before you publish</h2>
			<ul className="checklist">{points.flatMap((point) => (point === null ? [] : [<Row key={point.id} point={point} onGo={onGo} />]))}</ul>
		</section>
	);
}

function Row({ point: { isDone, text, step }, onGo }: { readonly point: Point; readonly onGo: (step: Step) => void }) {
	const [mark, meaning] = isDone === undefined ? ["…", "Checking"] : isDone ? ["✓", "Done"] : ["○", "Open"];
	return (
		<li>
			<span className={isDone === true ? "mark-done" : "mark-open"}>
				<span aria-hidden="true">{mark}</span>
				<span className="hidden">{meaning}:</span>
			</span>
			<span>{text}</span>
			{step === null ? (
				<span />
			) : (
				<Button kind="quiet" aria-label={`Change the ${step === "dry-run" ? "dry run" : step}`} onPress={() => onGo(step)}>
					Change
				</Button>
			)}
		</li>
	);
}

function rubricPoint(isComplete: boolean): Point {
	const text = isComplete
		? "The rubric is complete: its weights sum to 100 %."
		: "The rubric is not complete, or the draft is not saved. Every criterion needs a name, and the weights must sum to 100 %.";
	return { id: "rubric", isDone: isComplete, text, step: "rubric" };
}

function placeholderPoint(task: TaskDetail): Point | null {
	const names = findPlaceholders(task);
	if (names.length === 0) return null;
	return {
		id: "placeholders",
		isDone: false,
		text: `Fill in each “…” and replace the remaining examples in: ${names.join(", ")}.`,
		step: "task",
	};
}

/** Returns the row for the lint's findings. A rubric without findings gets none, because the rules cannot know whether it is good. */
function lintPoint(draft: Draft): Point | null {
	const count = lintDraft(draft)?.filter(({ severity }) => severity !== "hint").length ?? 0;
	return count === 0 ? null : { id: "lint", isDone: false, text: describeFindings(count), step: "rubric" };
}

function stalePoint({ criteria }: Draft): Point | null {
	const count = criteria.filter(isStale).length;
	if (count === 0) return null;
	const text = `The checks of ${count} ${count === 1 ? "criterion are" : "criteria are"} out of date, because the description has changed. Renew them, or keep them.`;
	return { id: "stale", isDone: false, text, step: "rubric" };
}

function useDryRunPoint(task: TaskDetail): Point | null {
	const hasRuns = !MODES[task.eval_mode ?? "llm"].isExternal;
	const { data } = useQuery({ ...runsQuery(task.id), enabled: hasRuns });
	if (!hasRuns) return null;
	const judged = data?.data.filter(({ status }) => status === "completed");
	const cases = judged?.filter(({ reference }) => reference).length ?? 0;
	const text =
		judged === undefined
			? "Dry runs."
			: judged.length === 0
				? "No dry run yet: try a good solution and a bad one, and see how they score."
				: `${judged.length} ${judged.length === 1 ? "dry run" : "dry runs"}. Used in the judge check: ${cases === 0 ? "none" : cases}.`;
	return { id: "dry-run", isDone: judged === undefined ? undefined : judged.length > 0, text, step: "dry-run" };
}

function useAttachmentsPoint(task: TaskDetail): Point {
	const { data } = useQuery({ queryKey: attachmentsKey(task.id), queryFn: () => api.listAttachments(task.id) });
	const text =
		data === undefined
			? "Attachments."
			: data.length === 0
				? "No attachments yet. Attach the data that a solution needs."
				: `${data.length} ${data.length === 1 ? "file is" : "files are"} attached.`;
	return { id: "attachments", isDone: data === undefined ? undefined : data.length > 0, text, step: "task" };
}

function termsPoints({ final_round, eval_mode, access, sealed }: TaskDetail): readonly Point[] {
	const isExternal = MODES[eval_mode ?? "llm"].isExternal;
	const round = final_round
		? "A final round judges the best submissions once more after the task ends."
		: "No final round: the scores during the task decide.";
	const who = access === "invited" ? "Only agents that you invite can see the task." : "Everyone can read the task and compete.";
	return [
		...(isExternal ? [] : [{ id: "round", isDone: final_round, text: round, step: "judging" } as const]),
		{ id: "access", isDone: true, text: sealed ? `${who} The work is sealed until the task is closed.` : who, step: "judging" },
	];
}

function useWalletPoint(): Point {
	const isProven = useIdentity()?.wallet.wallet_verified_at != null;
	const text = isProven ? (
		"Your wallet is verified. If you pay on chain, the platform recognizes payments from this wallet."
	) : (
		<>
			No verified wallet. If you pay on chain, the platform recognizes payments from a verified wallet. <Link to="/wallet">Verify one</Link>
		</>
	);
	return { id: "wallet", isDone: isProven, text, step: null };
}
