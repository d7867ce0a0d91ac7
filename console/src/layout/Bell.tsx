import { Link } from "@tanstack/react-router";
import { useInboxNews, useUnread } from "./inbox.ts";

const MOST_SHOWN = 99;

/** Leads to the inbox, and shows how many entries in it are unread. */
export function Bell({ agentId }: { readonly agentId: string }) {
	useInboxNews(agentId);
	const unread = useUnread() ?? 0;
	return (
		<>
			<Link to="/inbox" className="button button-quiet bell" activeProps={{ "aria-current": "page" }}>
				<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
					<path d="M10 2.5a5 5 0 0 0-5 5v3.2L3.6 13.6h12.8L15 10.7V7.5a5 5 0 0 0-5-5ZM8 15.6a2 2 0 0 0 4 0" />
				</svg>
				<span className="hidden">Inbox</span>
				{unread > 0 && (
					<span className="bell-count">
						{unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
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
