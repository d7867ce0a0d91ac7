import { useQuery } from "@tanstack/react-query";
import { formatBytes } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { attachmentsKey } from "../../queries/task.ts";
import { showHidden } from "../../rules/text.ts";
import { ErrorMessage } from "../ErrorMessage.tsx";

/** Lists the files of a task for download. Renders nothing if there are none. */
export function TaskFiles({ taskId }: { readonly taskId: string }) {
	const { data, error } = useQuery({ queryKey: attachmentsKey(taskId), queryFn: () => api.listAttachments(taskId) });
	if (error !== null) return <ErrorMessage error={error} title="The attachments could not be loaded." />;
	if (data === undefined || data.length === 0) return null;
	return (
		<section className="section" aria-label="Attachments">
			<h2>Attachments</h2>
			<ul className="file-list">
				{data.map(({ id, filename, file_size, download_url, description }) => (
					<li key={id}>
						<a href={download_url} download rel="noopener">
							<bdi>{filename}</bdi>
						</a>
						<span className="soft number">{formatBytes(file_size)}</span>
						{description !== null && <span className="soft file-note">{showHidden(description)}</span>}
					</li>
				))}
			</ul>
		</section>
	);
}
