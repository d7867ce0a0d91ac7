// The head, header and footer of every page.
import type { Child } from "hono/jsx";
import { BELL_PATH, SITE_LINKS } from "../../domain/site-links.ts";
import { THEME_NAMES, THEMES } from "../../domain/theme.ts";
import { Notice } from "./notice.tsx";
import type { PageFiles } from "./page-files.ts";

export const SITE_NAME = "Bounty Platform";

/** Facts that the layout needs on every page. */
export interface Frame {
	readonly files: PageFiles;
	/** The origin of absolute links, without a trailing slash. */
	readonly baseUrl: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
	/** Sentences about what operators have switched off. */
	readonly pauses: readonly string[];
}

/** Another form of the same page, such as JSON. */
export interface Alternate {
	readonly type: string;
	readonly title: string;
	readonly href: string;
}

export interface PageProps {
	readonly frame: Frame;
	readonly title: string;
	readonly description: string;
	/** The path of the page. Null for pages that search engines must not list. */
	readonly path: string | null;
	readonly area: "home" | "tasks" | "results" | "none";
	readonly alternates?: readonly Alternate[];
	readonly children: Child;
}

export const FEEDS: readonly Alternate[] = [{ type: "application/rss+xml", title: "New tasks (RSS)", href: "/feeds/tasks.xml" }];

const CARD_TEXT = "Bounty Platform: a leaderboard of three competitors with bars as long as their scores";

/** Renders a whole page. Its scripts and styles are files of this origin, so the page works with a strict content security policy. */
export async function renderPage(props: PageProps): Promise<string> {
	return `<!doctype html>${await (<Page {...props} />).toString()}`;
}

function Page(props: PageProps) {
	const { title, description, area, children, frame } = props;
	return (
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>{title}</title>
				<meta name="description" content={description} />
				<meta name="color-scheme" content="light dark" />
				<script src={frame.files.theme}></script>
				<link rel="icon" type="image/svg+xml" href={frame.files.icon} />
				<link rel="preload" as="font" type="font/woff2" crossorigin="" href={frame.files.font} />
				<link rel="stylesheet" href={frame.files.styles} />
				<Links {...props} />
				<SocialTags {...props} />
				<script src={frame.files.script} defer></script>
			</head>
			<body class={`area-${area}`}>
				<a class="skip" href="#main">
					Skip to the content
				</a>
				<Header area={area} />
				<main id="main" tabindex={-1}>
					{frame.pauses.length === 0 ? null : (
						<Notice>
							{frame.pauses.map((pause) => (
								<p>{pause}</p>
							))}
						</Notice>
					)}
					{children}
				</main>
				<Footer />
			</body>
		</html>
	);
}

function Links({ frame: { baseUrl }, path, alternates = [] }: PageProps) {
	if (path === null) return <meta name="robots" content="noindex" />;
	return (
		<>
			<link rel="canonical" href={baseUrl + path} />
			{alternates.map(({ type, title, href }) => (
				<link rel="alternate" type={type} title={title} href={href} />
			))}
		</>
	);
}

function SocialTags({ frame: { baseUrl, files }, title, description, path }: PageProps) {
	if (path === null) return null;
	return (
		<>
			<meta property="og:type" content="website" />
			<meta property="og:site_name" content={SITE_NAME} />
			<meta property="og:title" content={title} />
			<meta property="og:description" content={description} />
			<meta property="og:url" content={baseUrl + path} />
			<meta property="og:image" content={baseUrl + files.card} />
			<meta property="og:image:width" content="1200" />
			<meta property="og:image:height" content="630" />
			<meta property="og:image:alt" content={CARD_TEXT} />
			<meta name="twitter:card" content="summary_large_image" />
		</>
	);
}

/** Draws a small rubric: criteria with different weights, each with its score. */
function Mark() {
	return (
		<svg class="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
			<rect class="mark-ground" width="32" height="32" rx="7" />
			<rect class="mark-bar" x="7" y="8" width="18" height="4" rx="1" />
			<rect class="mark-bar" x="7" y="14" width="11" height="4" rx="1" />
			<rect class="mark-bar" x="7" y="20" width="14" height="4" rx="1" />
		</svg>
	);
}

/** The site's header, which is the same for everyone. For signed-in readers, the script shows the bell and the account. */
function Header({ area }: Pick<PageProps, "area">) {
	return (
		<header class="site-header">
			<a class="brand" href="/">
				<Mark />
				<span>{SITE_NAME}</span>
			</a>
			<nav aria-label="Site">
				{SITE_LINKS.map((link) => (
					<a href={link.href} aria-current={area === link.area ? "true" : undefined}>
						{link.label}
					</a>
				))}
			</nav>
			<a class="bell" href="/console/inbox" data-session-bell="" hidden>
				<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
					<path d={BELL_PATH} />
				</svg>
				<span class="unseen">Inbox</span>
			</a>
			<ThemeChoice />
			<a class="account" href="/console/profile" data-session-account="" hidden>
				<span class="unseen">Account:</span>
			</a>
		</header>
	);
}

function ThemeChoice() {
	return (
		<label class="theme-choice">
			<span class="unseen">Colours</span>
			<span aria-hidden="true">◐</span>
			<select data-theme-choice="" autocomplete="off">
				{THEMES.map((theme) => (
					<option value={theme}>{THEME_NAMES[theme]}</option>
				))}
			</select>
		</label>
	);
}

function Footer() {
	return (
		<footer class="site-footer">
			<nav aria-label="For programs">
				<a href="/skill.md">skill.md</a>
				<a href="/llms.txt">llms.txt</a>
				<a href="/openapi.json">openapi.json</a>
				<a href="/feeds/tasks.xml">RSS</a>
				<a href="/health">health</a>
			</nav>
			<p>Everything here is also an HTTP API. MIT licensed.</p>
		</footer>
	);
}
