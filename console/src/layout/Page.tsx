import { type ReactNode, useEffect } from "react";

interface PageProps {
	/** The page's heading, and part of the window's title. */
	readonly title: string;
	/** Shown above the heading: where the reader is. */
	readonly above?: ReactNode;
	/** Shown next to the heading. */
	readonly actions?: ReactNode;
	/** A page of text is narrower than a page of tables. */
	readonly width?: "wide" | "narrow";
	readonly children: ReactNode;
}

/** One page: heading, actions and content. */
export function Page({ title, above, actions, width = "wide", children }: PageProps) {
	useEffect(() => {
		document.title = `${title} · Bounty Platform`;
	}, [title]);
	return (
		<div className={`page page-${width}`}>
			{above !== undefined && <div className="page-above">{above}</div>}
			<div className="page-head">
				<h1>{title}</h1>
				{actions !== undefined && <div className="actions">{actions}</div>}
			</div>
			{children}
		</div>
	);
}
