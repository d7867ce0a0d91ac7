import { useQuery } from "@tanstack/react-query";
import { Notice } from "../components/Notice.tsx";
import { headerQuery } from "./header.ts";

/** Shows what operators have switched off, with their messages. Renders nothing while everything is on. */
export function Pauses() {
	const { data } = useQuery(headerQuery);
	if (data === undefined || data.pauses.length === 0) return null;
	return (
		<Notice kind="warning" role="status">
			{data.pauses.map((pause) => (
				<p key={pause}>{pause}</p>
			))}
		</Notice>
	);
}
