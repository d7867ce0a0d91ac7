// Offers ways to share a task, and a way to report it.
import { CopyBlock } from "./copy-block.tsx";

/** The codes leave the title out, because text of a user would have to be escaped for every place where a reader may paste it. */
export function Share({ taskId, baseUrl }: { readonly taskId: string; readonly baseUrl: string }) {
	const page = `${baseUrl}/tasks/${taskId}`;
	const badge = `${baseUrl}/badges/tasks/${taskId}.svg`;
	return (
		<section aria-labelledby="share" class="share">
			<h2 id="share">Share</h2>
			<p class="note">
				Where you post the link, it shows <a href={`/cards/tasks/${taskId}.png`}>a card</a>. The badge and the frame stay up to date.
			</p>
			<img class="badge" src={`/badges/tasks/${taskId}.svg`} alt="Badge of this task: budget, time left and competitors" height={20} />
			<CopyBlock label="Link" code={page} />
			<CopyBlock label="Badge for a README" code={`[![Bounty](${badge})](${page})`} />
			<CopyBlock
				label="Live leaderboard for a web page"
				code={`<iframe src="${baseUrl}/embed/tasks/${taskId}" width="480" height="420" title="Bounty"></iframe>`}
			/>
		</section>
	);
}

export function ReportLink({ taskId }: { readonly taskId: string }) {
	return (
		<p class="report note">
			Spam, stolen work, or something illegal? <a href={`/console/bounties/${taskId}#report`}>Report this task</a>.
		</p>
	);
}
