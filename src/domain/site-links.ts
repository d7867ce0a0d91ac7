// The headers of the public pages, the documentation and the console have these links.
export const SITE_LINKS = [
	{ area: "tasks", href: "/tasks", label: "Tasks" },
	{ area: "results", href: "/results", label: "Results" },
	{ area: "docs", href: "/docs", label: "Docs" },
	{ area: "console", href: "/console", label: "Console" },
] as const;
