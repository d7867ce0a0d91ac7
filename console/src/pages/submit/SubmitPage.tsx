// Submits a folder: drop it, see what the platform finds, send it.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { formatBytes } from "../../../../src/domain/formats.ts";
import { findJudgingPause } from "../../../../src/domain/switches.ts";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { FileDrop } from "../../components/FileDrop.tsx";
import { LeaveQuestion } from "../../components/LeaveQuestion.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading, Progress } from "../../components/Progress.tsx";
import { useKeptText } from "../../components/use-kept-text.ts";
import { headerQuery } from "../../layout/header.ts";
import { Page } from "../../layout/Page.tsx";
import { Pauses } from "../../layout/Pauses.tsx";
import { taskQuery } from "../../queries/task.ts";
import type { PickedFile } from "../../rules/picked-file.ts";
import { isSubmissionMd, readAnswers, SUBMISSION_MD, type SubmissionAnswers, writeSubmissionText } from "../../rules/submission-text.ts";
import { chooseWay, type Finding, sortFindings } from "../../rules/submitting.ts";
import { AgentFacts } from "../task/AgentFacts.tsx";
import { SubmissionText } from "./SubmissionText.tsx";
import { type Check, useSubmitting } from "./use-submitting.ts";

export function SubmitPage() {
	const { taskId } = useParams({ from: "/member/tasks/$taskId/submit" });
	const { data: task, error } = useQuery(taskQuery(taskId));
	if (task === undefined)
		return <Page title="Submit">{error === null ? <Loading label="Loading the task" /> : <ErrorMessage error={error} />}</Page>;
	return (
		<Page
			title="Submit"
			width="narrow"
			above={
				<Link to="/tasks/$taskId" params={{ taskId }}>
					{task.title}
				</Link>
			}
		>
			<Pauses />
			<AgentFacts task={task} />
			<SubmitForm task={task} />
		</Page>
	);
}

/** After typing, a check waits for a pause, because the platform allows only ten checks a minute. */
const TYPING_PAUSE_MS = 3000;

/** The check only knows files. It reports SUBMISSION.md as missing, although the fields of this page become that file. */
function explainInForm<Warning extends { readonly code: string; readonly message: string }>(warning: Warning): Warning {
	if (warning.code !== "MISSING_SUBMISSION_MD") return warning;
	return { ...warning, message: "The fields of SUBMISSION.md are empty, so every section will be missing. That lowers the score." };
}

function SubmitForm({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const work = useWork(task.id);
	const { files, answers, sent } = work;
	const { checking, sending, phase, send } = work.submitting;
	const navigate = useNavigate();
	const queries = useQueryClient();
	const isSent = useRef(false);
	const submit = async () => {
		work.stopWaiting();
		const id = await send(sent);
		if (id === null) return;
		isSent.current = true;
		const pause = findJudgingPause(queries.getQueryData(headerQuery.queryKey)?.pauses ?? []);
		showMessage(pause === null ? "Submitted. The judge is at work." : `Submitted, and waiting. ${pause}`);
		await navigate({ to: "/my-submissions/$submissionId", params: { submissionId: id } });
	};
	const isTooLarge = isTooMuch(sent);
	const found = checking.data ?? null;
	const findings = sortFindings(
		{ problems: found?.problems ?? [], warnings: (found?.warnings ?? []).map(explainInForm) },
		sent.map(({ path }) => path),
	);
	const notesOn = (path: string) => <Notes findings={findings.ofFiles.get(path) ?? []} />;
	const canSubmit = files.length > 0 && !isTooLarge && !checking.isPending && found?.ok !== false;
	return (
		<div className="form">
			<p className="soft">
				Choose the files of your work, and say below what you built. A check runs automatically and does not use an attempt. Submitting uses
				one attempt.{" "}
			</p>
			<FileDrop files={files} onChange={work.changeFiles} notes={notesOn} />
			<SubmissionText
				answers={answers}
				onChange={work.changeAnswers}
				hasOwn={files.some(({ path }) => isSubmissionMd(path))}
				criteria={task.criteria.map(({ name }) => name)}
				notes={notesOn(SUBMISSION_MD)}
			/>
			{isTooLarge && (
				<div className="notice notice-error" role="alert">
					<p>There are too many files, or they are too large: the limits are 5,000 files, 500 MB unpacked and 100 MB packed.</p>
				</div>
			)}
			<CheckState checking={checking} findings={findings.general} />
			{sending.error !== null && <ErrorMessage error={sending.error} title="The files were not submitted." />}
			{phase !== null && <Progress label={PHASES[phase.step]} value={phase.share === null ? null : Math.round(phase.share * 100)} />}
			<div className="actions">
				<Button kind={canSubmit ? "primary" : "plain"} isDisabled={!canSubmit} isPending={sending.isPending} onPress={() => void submit()}>
					{sending.error === null ? "Submit these files" : "Try again"}
				</Button>
			</div>
			<LeaveQuestion isNeeded={() => files.length > 0 && !isSent.current} title="Leave without submitting?">
				If you leave, you will have to choose the files again. The text for SUBMISSION.md is kept in this tab.
			</LeaveQuestion>
		</div>
	);
}

const isTooMuch = (files: readonly PickedFile[]): boolean => chooseWay(files.map(({ file }) => file.size)) === "too-large";

/** Adds the written SUBMISSION.md to the chosen files, unless they have one. */
function withText(files: readonly PickedFile[], answers: SubmissionAnswers): readonly PickedFile[] {
	const text = writeSubmissionText(answers);
	if (text === null || files.length === 0 || files.some(({ path }) => isSubmissionMd(path))) return files;
	return [...files, { path: SUBMISSION_MD, file: new File([text], SUBMISSION_MD, { type: "text/markdown" }) }];
}

/** Keeps the chosen files and the typed text, and checks what would be sent: files at once, text after a pause. */
function useWork(taskId: string) {
	const [files, setFiles] = useState<readonly PickedFile[]>([]);
	const [kept, keep] = useKeptText(`submission.${taskId}`);
	const [sent, setSent] = useState<readonly PickedFile[]>([]);
	const submitting = useSubmitting(taskId);
	const answers = readAnswers(kept);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	useEffect(() => () => clearTimeout(timer.current), []);
	const change = (nextFiles: readonly PickedFile[], nextAnswers: SubmissionAnswers, delayMs: number) => {
		const next = withText(nextFiles, nextAnswers);
		setSent(next);
		submitting.forget();
		clearTimeout(timer.current);
		if (next.length > 0 && !isTooMuch(next)) timer.current = setTimeout(() => submitting.check(next), delayMs);
	};
	return {
		...{ files, answers, sent, submitting },
		/** Cancels the check that waits for a pause in typing. Called before the files are submitted. */
		stopWaiting: () => clearTimeout(timer.current),
		changeFiles(next: readonly PickedFile[]) {
			setFiles(next);
			change(next, answers, 0);
		},
		changeAnswers(next: SubmissionAnswers) {
			keep(writeSubmissionText(next) === null ? "" : JSON.stringify(next));
			change(files, next, TYPING_PAUSE_MS);
		},
	};
}

const PHASES = { packing: "Packing the files", uploading: "Uploading", starting: "Starting the judge" } as const;

function CheckState({ checking, findings }: { readonly checking: Check; readonly findings: readonly Finding[] }) {
	if (checking.isPending) return <Progress label="Checking the files" value={null} />;
	if (checking.error !== null)
		return <ErrorMessage error={checking.error} title="The files could not be checked. You can submit them anyway." />;
	if (checking.data === undefined) return null;
	if (checking.data === null)
		return (
			<div className="notice">
				<p>The files are too large to check beforehand. The platform checks them when you submit.</p>
			</div>
		);
	const { ok, warnings, packed_bytes: bytes } = checking.data;
	return (
		<div className={ok ? "notice" : "notice notice-error"} role="status">
			<p className="notice-title">{ok ? titleOf(warnings.length) : "The platform would reject these files."}</p>
			<Findings findings={findings} />
			{bytes !== null && <p className="notice-small">{formatBytes(bytes)} packed</p>}
		</div>
	);
}

function titleOf(warnings: number): string {
	if (warnings === 0) return "Ready to submit: no problems found.";
	return warnings === 1 ? "Ready to submit, with one warning." : `Ready to submit, with ${warnings} warnings.`;
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
	if (findings.length === 0) return null;
	return (
		<ul>
			{findings.map(({ level, message }) => (
				<li key={message}>{level === "problem" ? <strong>{message}</strong> : message}</li>
			))}
		</ul>
	);
}

function Notes({ findings }: { readonly findings: readonly Finding[] }) {
	return findings.map(({ level, message }) => (
		<span key={message} className="file-note">
			<span className={level === "problem" ? "badge badge-error" : "badge badge-warning"}>
				{level === "problem" ? "Problem" : "Warning"}
			</span>{" "}
			{message}
		</span>
	));
}
