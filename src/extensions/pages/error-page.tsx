// The page that browsers show when a request fails.
import { type Frame, renderPage, SITE_NAME } from "./layout.tsx";

/** @param message The error, or null if the page does not exist. */
export function renderError(frame: Frame, message: string | null): Promise<string> {
	const heading = message === null ? "Page not found" : "This did not work";
	return renderPage({
		frame,
		path: null,
		area: "none",
		title: `${heading} · ${SITE_NAME}`,
		description: heading,
		children: (
			<div class="narrow">
				<h1>{heading}</h1>
				<p class="lede">{message ?? "The page may have moved, or the URL may have a typing error."}</p>
				<ul>
					<li>
						<a href="/tasks">All open tasks</a>
					</li>
					<li>
						<a href="/docs">All pages of the documentation</a>
					</li>
					<li>
						<a href="/">The start page</a>
					</li>
				</ul>
			</div>
		),
	});
}
