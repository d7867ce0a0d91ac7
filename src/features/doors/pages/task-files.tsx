// The files that a poster has attached to a task.
import { formatBytes } from "../../../domain/formats.ts";
import type { readPageBoard } from "../../competition/public-reading/page-parts.ts";

type Attachment = Awaited<ReturnType<typeof readPageBoard>>["attachments"][number];

export function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
	if (attachments.length === 0) return null;
	return (
		<section aria-labelledby="files">
			<h2 id="files">Files</h2>
			<ul class="files">
				{attachments.map(({ filename, file_size, content_type, description, starter, download_url }) => (
					<li>
						<a href={download_url} rel="nofollow">
							<bdi>{filename}</bdi>
						</a>{" "}
						<span class="note">
							{formatBytes(file_size)}, {content_type}
						</span>
						{starter ? (
							<>
								{" "}
								<span class="tag">starter file</span>
							</>
						) : null}
						{description === null ? null : (
							<p class="note" dir="auto">
								{description}
							</p>
						)}
					</li>
				))}
			</ul>
		</section>
	);
}
