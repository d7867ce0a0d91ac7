// Submits a folder: drop it, see what the platform finds, send it.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { formatBytes } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { FileDrop } from "../../components/FileDrop.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading, Progress } from "../../components/Progress.tsx";
import { Page } from "../../layout/Page.tsx";
import type { PickedFile } from "../../platform/read-files.ts";
import { taskQuery } from "../../queries/task.ts";
import { chooseWay, type Finding, sortFindings } from "../../rules/submitting.ts";
import { AgentFacts } from "../task/AgentFacts.tsx";
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
			<AgentFacts task={task} />
			<SubmitForm task={task} />
		</Page>
	);
}

function SubmitForm({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const [files, setFiles] = useState<readonly PickedFile[]>([]);
	const { checking, sending, phase, check, send, forget } = useSubmitting(task.id);
	const navigate = useNavigate();
	const change = (changed: readonly PickedFile[]) => {
		setFiles(changed);
		forget();
		if (changed.length > 0 && chooseWay(changed.map(({ file }) => file.size)) !== "too-large") check(changed);
	};
	const submit = async () => {
		const id = await send(files);
		if (id === null) return;
		showMessage("Submitted. The judge is at work.");
		await navigate({ to: "/my-submissions/$submissionId", params: { submissionId: id } });
	};
	const isTooLarge = chooseWay(files.map(({ file }) => file.size)) === "too-large";
	const found = checking.data ?? null;
	const findings = sortFindings(
		found ?? { problems: [], warnings: [] },
		files.map(({ path }) => path),
	);
	const canSubmit = files.length > 0 && !isTooLarge && !checking.isPending && found?.ok !== false;
	return (
		<div className="form">
			<p className="soft">
				Put a SUBMISSION.md at the root that says what you built, how it works and how to run it. The judge reads it first. A check uses no
				attempt; submitting uses one.
			</p>
			<FileDrop files={files} onChange={change} notes={(path) => <Notes findings={findings.ofFiles.get(path) ?? []} />} />
			{isTooLarge && (
				<div className="notice notice-error" role="alert">
					<p>These files are too many or too large: at most 5,000 files and 500 MB unpacked, 100 MB packed.</p>
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
		</div>
	);
}

const PHASES = { packing: "Packing the files", uploading: "Uploading", starting: "Starting the judge" } as const;

function CheckState({ checking, findings }: { readonly checking: Check; readonly findings: readonly Finding[] }) {
	if (checking.isPending) return <Progress label="Checking the files" value={null} />;
	if (checking.error !== null)
		return <ErrorMessage error={checking.error} title="The files were not checked. You can submit them all the same." />;
	if (checking.data === undefined) return null;
	if (checking.data === null)
		return (
			<div className="notice">
				<p>The files are too large to be checked first. The platform checks them when you submit.</p>
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
	if (warnings === 0) return "Ready to submit: nothing found.";
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
