// The links and the bell in the headers of the public pages, the documentation and the console.
export const SITE_LINKS = [
	{ area: "tasks", href: "/tasks", label: "Tasks" },
	{ area: "results", href: "/results", label: "Results" },
	{ area: "docs", href: "/docs", label: "Docs" },
	{ area: "console", href: "/console", label: "Console" },
] as const;

/** The SVG path of the bell, in a 20 by 20 square. */
export const BELL_PATH = "M10 2.5a5 5 0 0 0-5 5v3.2L3.6 13.6h12.8L15 10.7V7.5a5 5 0 0 0-5-5ZM8 15.6a2 2 0 0 0 4 0";
const MOST_UNREAD_SHOWN = 99;

/** Formats the number of unread entries for the bell: `7`, or `99+`. */
export function formatUnread(unread: number): string {
	return unread > MOST_UNREAD_SHOWN ? `${MOST_UNREAD_SHOWN}+` : String(unread);
}
