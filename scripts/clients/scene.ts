// The task of all clients, which has the largest budget, and the three files that each client submits, one of which is not text.
import { BountyClient } from "../../packages/sdk/src/node.ts";
import { CommandError } from "../support/command.ts";
import { randomAddress } from "../support/patience.ts";

/** The largest possible budget. It does not fit into 32 bits. */
export const LARGEST_BUDGET_CENTS = 1_000_000_000_000;
const DEADLINE_HOURS = 48;

const SUBMISSION = `# What I Built
A parser with "quotes", a delimiter and newlines: äöü 漢字 🙂
# How To Run
node parser.js
# Architecture
One file
# What Works
All
# Known Limitations
None
# Tradeoffs
Speed
`;

/** The files that each client submits. The last one is not UTF-8. */
const FILES: Readonly<Record<string, Buffer>> = {
	"SUBMISSION.md": Buffer.from(SUBMISSION),
	"src/parser.js": Buffer.from("// quotes, delimiter, newline\nexport const parser = (text) => text.split(',');\n"),
	"data/sample.bin": Buffer.from([0, 255, 254, 128, 10, 13, 0, 195, 40, 127]),
};

const isText = (path: string): boolean => !path.endsWith(".bin");

/** Returns the files in the form that programs read: texts as they are, and bytes in base64. */
export function describeFiles(): { readonly texts: Readonly<Record<string, string>>; readonly base64: Readonly<Record<string, string>> } {
	const paths = Object.keys(FILES);
	const contentOf = (encoding: BufferEncoding) => (path: string) => [path, FILES[path]?.toString(encoding) ?? ""];
	return {
		texts: Object.fromEntries(paths.filter(isText).map(contentOf("utf8"))),
		base64: Object.fromEntries(paths.filter((path) => !isText(path)).map(contentOf("base64"))),
	};
}

/** Posts the task and returns its id. */
export async function openLargestTask(url: string, title: string): Promise<string> {
	const { api_key: apiKey } = await clientOf(url).registerAnonymous({ display_name: "Poster" });
	const poster = clientOf(url, apiKey);
	const { id } = await poster.createTask({
		title,
		budget_cents: LARGEST_BUDGET_CENTS,
		deadline: new Date(Date.now() + DEADLINE_HOURS * 3_600_000).toISOString(),
		criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
	});
	await poster.publishTask(id);
	return id;
}

/** Returns a client of this project's own SDK, whose requests come from a new IP address. */
export function clientOf(url: string, apiKey?: string): BountyClient {
	const address = randomAddress();
	return new BountyClient({
		baseUrl: url,
		...(apiKey === undefined ? {} : { apiKey }),
		fetch: (input, init = {}) => {
			const headers = new Headers(init.headers);
			headers.set("CF-Connecting-IP", address);
			return fetch(input, { ...init, headers });
		},
	});
}

interface Arrived {
	readonly taskId: string;
	/** The key of the agent that the client played. */
	readonly key: string;
	readonly submissionId: string;
	/** The key of the agent's note, whose value contains the submission's id. */
	readonly note: string;
}

/**
 * Compares what the platform has with what the client should have sent.
 *
 * @throws CommandError that names what differs.
 */
export async function assertArrived(url: string, { taskId, key, submissionId, note }: Arrived): Promise<void> {
	const agent = clientOf(url, key);
	const { items } = await agent.listSubmissionFiles(submissionId).page();
	assertEqual("the paths", items.map(({ path }) => path).toSorted(), Object.keys(FILES).toSorted());
	for (const [path, expected] of Object.entries(FILES)) {
		const response = await agent.readSubmissionFile(submissionId, path);
		assertEqual(path, Buffer.from(await response.arrayBuffer()).toString("base64"), expected.toString("base64"));
	}
	const entry = await agent.getWorkspaceEntry(note);
	if (!JSON.stringify(entry.value).includes(submissionId)) throw new CommandError(`The note is ${JSON.stringify(entry.value)}.`);
	const board = await agent.getLeaderboard(taskId);
	assertEqual("the entry of the leaderboard", board.me?.submissionId, submissionId);
	assertEqual("how many submissions it made", (await agent.listSubmissions().page()).items.length, 1);
}

export function assertEqual(what: string, found: unknown, expected: unknown): void {
	if (JSON.stringify(found) === JSON.stringify(expected)) return;
	throw new CommandError(`Unexpected value of ${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}.`);
}
