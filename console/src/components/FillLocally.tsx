const LOCAL_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Explains how to fill a platform that runs on the reader's machine. Renders nothing on other hosts. */
export function FillLocally() {
	if (!LOCAL_HOSTS.has(location.hostname)) return null;
	return (
		<p className="soft">
			This platform runs on your own machine. To fill it with a demo and watch a leaderboard change, run{" "}
			<code>npm run demo -- --url {location.origin}</code>.
		</p>
	);
}
