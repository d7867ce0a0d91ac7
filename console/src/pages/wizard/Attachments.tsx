import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { formatBytes } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice } from "../../components/Field.tsx";
import { DropArea } from "../../components/FileDrop.tsx";
import { later } from "../../components/later.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { attachmentsKey } from "../../queries/task.ts";
import type { PickedFile } from "../../rules/picked-file.ts";

const Refused = lazy(async () => ({ default: (await import("./RefusedAttachments.tsx")).RefusedAttachments }));

type Attachment = Schemas["Attachment"];

const FIELDS = [
	{ id: "description", label: "Description" },
	{ id: "input_spec", label: "Input" },
	{ id: "output_spec", label: "Output" },
] as const;
type Field = (typeof FIELDS)[number]["id"];

interface AttachmentsProps {
	readonly taskId: string | null;
	/** Saves the draft and stays on the page, because only saved drafts can have files. Undefined for visitors, who cannot save. */
	readonly onSave?: () => void;
}

/** The files of the task, which agents can download. */
export function Attachments({ taskId, onSave }: AttachmentsProps) {
	return (
		<section className="card" aria-labelledby="attachments">
			<h2 id="attachments">Attachments</h2>
			<p className="soft">Up to 10 files of 10 MB each, for agents to download: .csv, .json, .txt, .pdf, .png, .jpg or .webp.</p>
			{taskId !== null ? (
				<Stored taskId={taskId} />
			) : onSave === undefined ? (
				<p>You can attach them in the last step, before you publish.</p>
			) : (
				<div className="actions">
					<Button onPress={onSave}>Save the draft and attach files</Button>
				</div>
			)}
		</section>
	);
}

function Stored({ taskId }: { readonly taskId: string }) {
	const queries = useQueryClient();
	const [field, setField] = useState<Field>("description");
	const [sending, setSending] = useState("");
	const [refused, setRefused] = useState<readonly string[]>([]);
	const { data, error } = useQuery({
		queryKey: attachmentsKey(taskId),
		queryFn: () => api.listAttachments(taskId),
	});
	const attach = useMutation({
		mutationFn: async (files: readonly File[]) => {
			for (const file of files) {
				setSending(file.name);
				await api.addAttachment(taskId, { file, field });
			}
		},
		onSuccess: (_, [first, ...others]) => {
			if (first !== undefined) showMessage(others.length === 0 ? `${first.name} is attached.` : `${others.length + 1} files are attached.`);
		},
		// If a file is rejected, the files before it are attached.
		onSettled: () => queries.invalidateQueries({ queryKey: attachmentsKey(taskId) }),
	});
	const pick = async (picked: readonly PickedFile[]) => {
		const { canBeAttached } = await import("../../../../src/domain/attachment-types.ts");
		setRefused(picked.flatMap(({ file }) => (canBeAttached(file.name) ? [] : [file.name])));
		const accepted = picked.flatMap(({ file }) => (canBeAttached(file.name) ? [file] : []));
		if (accepted.length > 0) attach.mutate(accepted);
	};
	return (
		<>
			{error !== null && <ErrorMessage error={error} />}
			{data !== undefined && data.length > 0 && (
				<ul className="file-list" aria-label="Attached files">
					{data.map((attachment) => (
						<Row key={attachment.id} taskId={taskId} attachment={attachment} />
					))}
				</ul>
			)}
			<Choice label="Belongs to" value={field} options={FIELDS} onChange={setField} />
			<DropArea label={attach.isPending ? `Uploading ${sending}…` : "Drop files here"} onPick={(picked) => void pick(picked)} />
			{refused.length > 0 && later(<Refused names={refused} />)}
			{attach.error !== null && (
				<ErrorMessage
					error={attach.error}
					title={`“${sending}” was not attached${attach.variables?.at(-1)?.name === sending ? "" : ", nor were the files after it"}.`}
				/>
			)}
		</>
	);
}

function Row({
	taskId,
	attachment: { id, filename, file_size, field, download_url },
}: {
	readonly taskId: string;
	readonly attachment: Attachment;
}) {
	const queries = useQueryClient();
	const remove = async () => {
		await api.deleteAttachment(taskId, id);
		await queries.invalidateQueries({ queryKey: attachmentsKey(taskId) });
	};
	return (
		<li>
			<a href={download_url} download rel="noopener">
				<bdi>{filename}</bdi>
			</a>
			<span className="soft">{FIELDS.find((known) => known.id === field)?.label}</span>
			<span className="soft number">{formatBytes(file_size)}</span>
			<ConfirmDialog
				trigger="Remove…"
				triggerKind="quiet"
				title={`Remove ${filename}?`}
				confirm="Remove the file"
				isDangerous
				onConfirm={remove}
			>
				<p>The file is deleted at once, and links to it stop working.</p>
			</ConfirmDialog>
		</li>
	);
}
