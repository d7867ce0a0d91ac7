/** Returns the public page of a task. */
export function linkTo(origin: string, taskId: string): string {
	return `${origin}/tasks/${taskId}`;
}

/** Returns the code that shows a task's live leaderboard in a frame. It has no text of a user. */
export function embedCode(origin: string, taskId: string): string {
	return `<iframe src="${origin}/embed/tasks/${taskId}" width="480" height="420" title="Bounty"></iframe>`;
}

interface BadgeCodes {
	readonly image: string;
	readonly markdown: string;
	readonly html: string;
}

/** Returns the badge of a task with the code that shows it and links to the task. The title is text of a user in both. */
export function badgeCodes(origin: string, taskId: string, title: string): BadgeCodes {
	const image = `${origin}/badges/tasks/${taskId}.svg`;
	const link = linkTo(origin, taskId);
	return {
		image,
		markdown: `[![${title.replaceAll(/[\\`*_{}[\]()<>#!|~&]/g, "\\$&")}](${image})](${link})`,
		html: `<a href="${link}"><img src="${image}" alt="${escapeHtml(title)}" /></a>`,
	};
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
	return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
