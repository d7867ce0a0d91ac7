import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { formatBytes } from "../../../../src/domain/formats.ts";
import { hasStatus } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { saveFile } from "../../platform/save-file.ts";
import { fileQuery, filesQuery, type Submission } from "../../queries/received.ts";
import { chooseFile, isPdf, MAX_PICTURE_BYTES, MAX_VIEWED_BYTES, pictureTypeOf, READINGS } from "../../rules/files.ts";
import type { Quote } from "../../rules/quotes.ts";
import { nameOfPath, showHidden } from "../../rules/text.ts";

const FileViewer = lazy(async () => ({ default: (await import("./FileViewer.tsx")).FileViewer }));

const Preview = lazy(async () => ({ default: (await import("./Preview.tsx")).Preview }));
const PdfPreview = lazy(async () => ({ default: (await import("./PdfPreview.tsx")).PdfPreview }));

/** The file to show, and the line to scroll to. */
export interface FilePlace {
	readonly path: string;
	readonly line: number | null;
}

interface FilesProps {
	readonly submission: Submission;
	readonly quotes: readonly Quote[];
	readonly place: FilePlace | null;
	readonly onChoose: (place: FilePlace) => void;
	/** True if the reader gets the files only after the task has closed. */
	readonly isSealed?: boolean;
}

const FILTER_FROM = 12;

/** Shows the files of a submission: a list, and the chosen one. */
export function Files({ submission: { id, artifact, dimensions }, quotes, place, onChoose, isSealed = false }: FilesProps) {
	const { data: files, error } = useQuery({ ...filesQuery(id), enabled: artifact !== null });
	const [filter, setFilter] = useState("");
	if (artifact === null)
		return (
			<EmptyState
				title={isSealed ? "The work is sealed. You can read the files after the task has closed." : "The files have not arrived."}
			/>
		);
	if (files === undefined) return error === null ? <Loading label="Loading the list of files" /> : <NoFiles error={error} />;
	const quotedPaths = quotes.map(({ path }) => path);
	const chosen = chooseFile(files, place?.path ?? null, quotedPaths);
	const listed = files.filter(({ path }) => path.toLowerCase().includes(filter.trim().toLowerCase()));
	const file = files.find(({ path }) => path === chosen);
	return (
		<div className="files">
			<div className="form files-side">
				{files.length >= FILTER_FROM && <TextInput label="Find a file" type="search" value={filter} onChange={setFilter} />}
				<ul className="files-list" aria-label="Files">
					{listed.map(({ path, size_bytes, judged }) => (
						<li key={path}>
							<Button kind="quiet" {...(path === chosen ? { "aria-current": "true" } : {})} onPress={() => onChoose({ path, line: null })}>
								<bdi className="files-path">{showHidden(path)}</bdi>
								<span className="soft files-facts">
									{formatBytes(size_bytes)}
									{judged !== null && ` · ${READINGS[judged]}`}
									{quotedPaths.includes(path) && " · quoted"}
								</span>
							</Button>
						</li>
					))}
				</ul>
				<p className="hint">Below each name, you see how much of the file the judge read.</p>
				<a href={artifact.url} download rel="noopener">
					Download all files ({formatBytes(artifact.size_bytes ?? 0)} zip)
				</a>
			</div>
			<div className="section">
				{file !== undefined && (
					<OneFile
						key={file.path}
						id={id}
						file={file}
						quotes={quotes.filter(({ path }) => path === file.path)}
						dimensions={dimensions}
						line={place?.path === file.path ? place : null}
					/>
				)}
			</div>
		</div>
	);
}

/** Explains why there are no files. A missing artifact or an unreadable zip is not shown as an error of the page. */
function NoFiles({ error }: { readonly error: Error }) {
	const isFact = hasStatus(error, 409);
	return isFact ? <EmptyState title={error.message} /> : <ErrorMessage error={error} title="The list of files could not be loaded." />;
}

interface OneFileProps {
	readonly id: string;
	readonly file: { readonly path: string; readonly size_bytes: number };
	readonly quotes: readonly Quote[];
	readonly dimensions: Submission["dimensions"];
	readonly line: FilePlace | null;
}

function OneFile({ id, file: { path, size_bytes }, quotes, dimensions, line }: OneFileProps) {
	const isLarge = size_bytes > MAX_VIEWED_BYTES;
	const { data, error } = useQuery({ ...fileQuery(id, path), enabled: !isLarge });
	const name = nameOfPath(path);
	const hasPdf = isPdf(path) && size_bytes <= MAX_PICTURE_BYTES;
	const picture = size_bytes <= MAX_PICTURE_BYTES ? pictureTypeOf(path) : null;
	return (
		<>
			<div className="actions actions-split">
				<h2 className="files-title">
					<bdi>{showHidden(path)}</bdi>
				</h2>
				{data !== undefined && <Button onPress={() => saveFile(name, data.bytes)}>Download</Button>}
			</div>
			{isLarge && <EmptyState title="This file is larger than 10 MB. Download all files to see it." />}
			{error !== null && <ErrorMessage error={error} title="The file could not be loaded." />}
			{!isLarge && data === undefined && error === null && <Loading label="Loading the file" />}
			{data !== undefined && picture !== null && (
				<Suspense fallback={<Loading label="Loading the picture" />}>
					<Preview path={path} type={picture} bytes={data.bytes} />
				</Suspense>
			)}
			{data !== undefined && hasPdf && (
				<Suspense fallback={<Loading label="Loading the viewer" />}>
					<PdfPreview path={path} bytes={data.bytes} />
				</Suspense>
			)}
			{data?.text === null && picture === null && !hasPdf && (
				<EmptyState title={`This file is not text (${formatBytes(size_bytes)}). You can download it.`} />
			)}
			{typeof data?.text === "string" && !hasPdf && (
				<Suspense fallback={<Loading label="Loading the viewer" />}>
					<FileViewer path={path} text={data.text} quotes={quotes} dimensions={dimensions} place={line} />
				</Suspense>
			)}
		</>
	);
}
