// Compares the files of two submissions line by line.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { fileQuery, filesQuery, type Submission } from "../../queries/received.ts";
import { compareFiles } from "../../rules/attempt-changes.ts";
import { chooseFile, MAX_VIEWED_BYTES } from "../../rules/files.ts";
import { showHidden } from "../../rules/text.ts";
import type { FilePlace } from "./Files.tsx";

const DiffView = lazy(async () => ({ default: (await import("./DiffView.tsx")).DiffView }));

interface DifferencesProps {
	readonly left: Submission;
	readonly right: Submission;
	readonly place: FilePlace | null;
	readonly onChoose: (place: FilePlace) => void;
}

export function Differences({ left, right, place, onChoose }: DifferencesProps) {
	const [ours, theirs] = [
		useQuery({ ...filesQuery(left.id), enabled: left.artifact !== null }),
		useQuery({ ...filesQuery(right.id), enabled: right.artifact !== null }),
	];
	if (left.artifact === null || right.artifact === null)
		return <EmptyState title="The files of at least one submission have not arrived, or are sealed until the task is closed." />;
	const error = ours.error ?? theirs.error;
	if (error !== null) return <ErrorMessage error={error} title="The lists of files could not be loaded." />;
	if (ours.data === undefined || theirs.data === undefined) return <Loading label="Loading the lists of files" />;
	const sizes = [ours.data, theirs.data].map((files) => new Map(files.map(({ path, size_bytes }) => [path, size_bytes] as const)));
	const [inLeft = new Map<string, number>(), inRight = new Map<string, number>()] = sizes;
	const { added, removed, changed } = compareFiles(ours.data, theirs.data);
	const paths = [...new Set([...inLeft.keys(), ...inRight.keys()])].toSorted();
	const chosen = chooseFile(
		paths.map((path) => ({ path, size_bytes: 0 })),
		place?.path ?? null,
		// By default, a file that differs is shown.
		changed,
	);
	if (chosen === null) return <EmptyState title="Neither submission has a file." />;
	const describe = (path: string) => {
		if (removed.includes(path)) return " (only left)";
		if (added.includes(path)) return " (only right)";
		return changed.includes(path) ? " (changed)" : "";
	};
	const isLarge = Math.max(inLeft.get(chosen) ?? 0, inRight.get(chosen) ?? 0) > MAX_VIEWED_BYTES;
	return (
		<div className="form">
			<Choice
				label="File"
				value={chosen}
				options={paths.map((path) => ({ id: path, label: showHidden(path) + describe(path) }))}
				onChange={(path) => onChoose({ path, line: null })}
			/>
			{isLarge ? (
				<EmptyState title="This file is larger than 10 MB." />
			) : (
				<OneDifference
					key={chosen}
					path={chosen}
					left={inLeft.has(chosen) ? left.id : null}
					right={inRight.has(chosen) ? right.id : null}
				/>
			)}
		</div>
	);
}

interface OneDifferenceProps {
	readonly path: string;
	/** The ids of the submissions. Null for a submission that does not have the file. */
	readonly left: string | null;
	readonly right: string | null;
}

function OneDifference({ path, left, right }: OneDifferenceProps) {
	const a = useQuery({ ...fileQuery(left ?? "", path), enabled: left !== null });
	const b = useQuery({ ...fileQuery(right ?? "", path), enabled: right !== null });
	const error = a.error ?? b.error;
	if (error !== null) return <ErrorMessage error={error} title="The file could not be loaded." />;
	if ((left !== null && a.data === undefined) || (right !== null && b.data === undefined)) return <Loading label="Loading the file" />;
	if (a.data?.text === null || b.data?.text === null) return <EmptyState title="This file is not text, so its lines cannot be compared." />;
	return (
		<Suspense fallback={<Loading label="Loading the comparison" />}>
			<DiffView path={path} left={a.data?.text ?? ""} right={b.data?.text ?? ""} />
		</Suspense>
	);
}
