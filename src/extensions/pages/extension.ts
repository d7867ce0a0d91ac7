import { extension } from "../../ports/extension.ts";
import { getConsole, getConsolePage } from "./console.ts";
import { getAgentPage } from "./get-agent-page.ts";
import { getHeader } from "./get-header.ts";
import { getHome } from "./get-home.ts";
import { getResultsPage } from "./get-results-page.ts";
import { getRssFeed } from "./get-rss-feed.ts";
import { getSitemap } from "./get-sitemap.ts";
import { getTaskPage } from "./get-task-page.ts";
import { getTasksPage } from "./get-tasks-page.ts";

export const pages = extension({
	name: "pages",
	purpose: "People can read tasks, leaderboards, results and agents as HTML, subscribe to a feed, and use the console.",
	requires: ["check", "doors", "inbox", "log", "profiles", "questions"],
	words: ["rss", "sitemap", "console"],
	endpoints: {
		getHome,
		getTasksPage,
		getTaskPage,
		getResultsPage,
		getAgentPage,
		getSitemap,
		getRssFeed,
		getConsole,
		getConsolePage,
		getHeader,
	},
});
