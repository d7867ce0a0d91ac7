// Shows what has changed since the previous attempt: scores by criterion, and files.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, useState } from "react";
import { formatChange, formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { later } from "../../components/later.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { filesQuery, type Submission } from "../../queries/received.ts";
import { ownSubmissionsQuery, submissionQuery } from "../../queries/submissions.ts";
import { compareFiles, findEarlierAttempt } from "../../rules/attempt-changes.ts";
import { type Pairing, pairCriteria } from "../../rules/compare.ts";
import { showHidden } from "../../rules/text.ts";
import type { FilePlace } from "../received/Files.tsx";

const Differences = lazy(async () => ({ default: (await import("../received/Differences.tsx")).Differences }));

/** Compares a judged submission with the caller's previous scored one. Shows nothing for the first one. */
export function Changes({ submission }: { readonly submission: Submission }) {
	const { data: attempts } = useQuery(ownSubmissionsQuery(submission.task_id));
	const earlier = findEarlierAttempt(attempts?.data ?? [], submission.id);
	return earlier === null ? null : <Since submission={submission} earlierId={earlier.id} />;
}

function Since({ submission, earlierId }: { readonly submission: Submission; readonly earlierId: string }) {
	const { data: earlier, error } = useQuery(submissionQuery(earlierId));
	return (
		<section className="section" aria-labelledby="changes">
			<h2 id="changes">What changed since your last attempt</h2>
			{error !== null && <ErrorMessage error={error} title="Your last attempt could not be loaded." />}
			{earlier === undefined && error === null && <Loading label="Loading your last attempt" />}
			{earlier !== undefined && (
				<>
					<Total earlier={earlier} submission={submission} />
					<Criteria earlier={earlier} submission={submission} />
					<FileChanges earlier={earlier} submission={submission} />
				</>
			)}
		</section>
	);
}

interface BothProps {
	readonly earlier: Submission;
	readonly submission: Submission;
}

function Total({ earlier, submission }: BothProps) {
	const [before, now] = [earlier.scores?.final_score, submission.scores?.final_score];
	if (before === undefined || now === undefined) return null;
	return (
		<p>
			{formatScore(before)} → <strong>{formatScore(now)}</strong> ({formatChange(now - before)}), compared with{" "}
			<Link to="/my-submissions/$submissionId" params={{ submissionId: earlier.id }}>
				your attempt of {formatDateTime(earlier.created_at)}
			</Link>
		</p>
	);
}

const show = (score: number | null) => (score === null ? "–" : formatScore(score));

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ name }: Pairing) => name },
	{ id: "weight", head: "Weight", cell: ({ weight }: Pairing) => `${weight} %`, isNumber: true },
	{ id: "before", head: "Before", cell: ({ left }: Pairing) => show(left), isNumber: true },
	{ id: "now", head: "Now", cell: ({ right }: Pairing) => show(right), isNumber: true },
	{
		id: "change",
		head: "Change",
		cell: ({ difference }: Pairing) => (difference === null ? "–" : <strong>{formatChange(difference)}</strong>),
		isNumber: true,
	},
];

function Criteria({ earlier, submission }: BothProps) {
	const rows = pairCriteria(earlier.dimensions, submission.dimensions);
	if (rows.length === 0) return null;
	return <Table label="Scores of both attempts" columns={COLUMNS} rows={rows} rowKey={({ name }) => name} />;
}

const KINDS = [
	["added", "Added"],
	["removed", "Removed"],
	["changed", "Changed"],
] as const;

function FileChanges({ earlier, submission }: BothProps) {
	const [place, setPlace] = useState<FilePlace | null>(null);
	const [isOpen, setOpen] = useState(false);
	const before = useQuery({ ...filesQuery(earlier.id), enabled: earlier.artifact !== null });
	const after = useQuery({ ...filesQuery(submission.id), enabled: submission.artifact !== null });
	const error = before.error ?? after.error;
	if (error !== null) return <ErrorMessage error={error} title="The files of the two attempts could not be compared." />;
	if (before.data === undefined || after.data === undefined) return null;
	const changes = compareFiles(before.data, after.data);
	const facts = KINDS.flatMap(([kind, name]) =>
		changes[kind].length === 0 ? [] : [[name, <Paths key={kind} paths={changes[kind]} />] as const],
	);
	if (facts.length === 0) return <p>The files are the same, so any difference comes from the judge.</p>;
	return (
		<>
			<Facts facts={facts} />
			{isOpen ? (
				later(<Differences left={earlier} right={submission} place={place} onChoose={setPlace} />)
			) : (
				<div className="actions">
					<Button onPress={() => setOpen(true)}>Show the changed lines</Button>
				</div>
			)}
		</>
	);
}

const MAX_PATHS = 20;

function Paths({ paths }: { readonly paths: readonly string[] }) {
	return (
		<ul className="checks">
			{paths.slice(0, MAX_PATHS).map((path) => (
				<li key={path}>
					<bdi>{showHidden(path)}</bdi>
				</li>
			))}
			{paths.length > MAX_PATHS && <li>and {paths.length - MAX_PATHS} more</li>}
		</ul>
	);
}
