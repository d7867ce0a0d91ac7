import { type ReactNode, useState } from "react";
import { Button as AriaButton, DropZone, FileTrigger, Text } from "react-aria-components";
import { formatBytes } from "../../../src/domain/formats.ts";
import { readChosenFiles, readDropItems } from "../platform/read-files.ts";
import type { PickedFile } from "../rules/picked-file.ts";
import { sortPaths } from "../rules/submitting.ts";
import { Button } from "./Button.tsx";

interface FileDropProps {
	readonly files: readonly PickedFile[];
	readonly onChange: (files: readonly PickedFile[]) => void;
	/** Shown below a file, such as the findings of a check. */
	readonly notes?: (path: string) => ReactNode;
}

/** A place to drop files and folders, with buttons that do the same. */
export function FileDrop({ files, onChange, notes }: FileDropProps) {
	const [secrets, setSecrets] = useState<readonly string[]>([]);
	const add = (picked: readonly PickedFile[]) => {
		const sorted = sortPaths(picked.map(({ path }) => path));
		setSecrets(sorted.secrets);
		const added = picked.filter(({ path }) => sorted.sent.has(path));
		const paths = new Set(added.map(({ path }) => path));
		onChange([...files.filter(({ path }) => !paths.has(path)), ...added].toSorted((a, b) => (a.path < b.path ? -1 : 1)));
	};
	return (
		<div className="form">
			<DropArea label="Drop files or a folder here" hasFolders onPick={add} />
			{secrets.length > 0 && <p role="status">Left out because they look like secrets: {secrets.join(", ")}</p>}
			{files.length > 0 && (
				<ul className="file-list" aria-label="Files">
					{files.map(({ path, file }) => (
						<li key={path}>
							<code>{path}</code>
							<span className="soft number">{formatBytes(file.size)}</span>
							<Button kind="quiet" aria-label={`Remove ${path}`} onPress={() => onChange(files.filter((other) => other.path !== path))}>
								✕
							</Button>
							{notes?.(path)}
						</li>
					))}
				</ul>
			)}
		</div>
	);
}

interface DropAreaProps {
	readonly label: string;
	/** If true, a folder can be chosen too. Dropped folders are always accepted. */
	readonly hasFolders?: boolean;
	readonly onPick: (files: readonly PickedFile[]) => void;
}

/** The drop area, and buttons that do the same. */
export function DropArea({ label, hasFolders = false, onPick }: DropAreaProps) {
	return (
		<DropZone className="drop-zone" onDrop={({ items }) => void readDropItems(items).then(onPick)}>
			<Text slot="label">{label}</Text>
			<div className="actions">
				<FileTrigger allowsMultiple onSelect={(chosen) => onPick(readChosenFiles(chosen))}>
					<AriaButton className="button button-plain">Choose files</AriaButton>
				</FileTrigger>
				{hasFolders && (
					<FileTrigger acceptDirectory onSelect={(chosen) => onPick(readChosenFiles(chosen))}>
						<AriaButton className="button button-plain">Choose a folder</AriaButton>
					</FileTrigger>
				)}
			</div>
		</DropZone>
	);
}
