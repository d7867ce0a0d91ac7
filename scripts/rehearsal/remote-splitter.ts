/**
 * Splits SQL the way D1 does on the server for `wrangler d1 migrations apply --remote`, with every fault that has been reported
 * (cloudflare/workers-sdk 4727, 10998, 14991). The splitter for local databases has none of them.
 *
 * - BEGIN and END must be in uppercase, and CRLF hides them.
 * - The END of a CASE ends the trigger, unless it is in parentheses.
 * - Comments are read as SQL, so a semicolon in one splits it and a quote in one opens a string.
 */
export function splitLikeRemote(sql: string): string[] {
	const statements: string[] = [];
	let [start, depth, isInTrigger] = [0, 0, false];
	for (const { 0: token, index } of sql.matchAll(/'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|[\w\r]+|[();]/g)) {
		if (token === "(") depth += 1;
		else if (token === ")") depth -= 1;
		else if (depth > 0) continue;
		else if (token === "BEGIN") isInTrigger = true;
		else if (token === "END") isInTrigger = false;
		else if (token === ";" && !isInTrigger) {
			statements.push(sql.slice(start, index).trim());
			start = index + 1;
		}
	}
	return [...statements, sql.slice(start).trim()].filter((statement) => statement !== "");
}
