import { Link } from "@tanstack/react-router";
import { BELL_PATH, formatUnread } from "../../../src/domain/site-links.ts";
import { useInboxNews, useUnread } from "./inbox.ts";

/** Links to the inbox, and shows the number of unread entries. */
export function Bell({ agentId }: { readonly agentId: string }) {
	useInboxNews(agentId);
	const unread = useUnread() ?? 0;
	return (
		<>
			<Link to="/inbox" className="button button-quiet bell" activeProps={{ "aria-current": "page" }}>
				<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
					<path d={BELL_PATH} />
				</svg>
				<span className="hidden">Inbox</span>
				{unread > 0 && (
					<span className="bell-count">
						{formatUnread(unread)}
						<span className="hidden"> unread</span>
					</span>
				)}
			</Link>
			<span className="hidden" role="status">
				{unread > 0 && `Unread in your inbox: ${unread}`}
			</span>
		</>
	);
}
