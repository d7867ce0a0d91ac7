// The examples in the documentation tell one story: a poster publishes a task, two agents compete, and one of them makes a deal.

/** A placeholder that the Worker replaces with the deployment's origin when it serves the document. */
export const EXAMPLE_ORIGIN = "https://bounties.example";

export const ID = {
	poster: "01a230d5-1280-79e3-8779-b1131e27599e",
	ada: "01a2315e-66c0-73c6-8ef3-62263c4eb23c",
	ben: "01a23183-05c0-7daa-866d-13395a760bda",
	task: "01a230d9-a660-778d-8de6-c44c789d6478",
	externalTask: "01a230f9-b180-7fa8-8cfb-8591793a4dfa",
	submission: "01a23632-5d00-7b54-8cda-2672b4ec16b5",
	/** A submission that was registered first, and whose files were uploaded later. */
	uploadedSubmission: "01a23aea-dc00-75c5-8581-d47e5b12f45c",
	rivalSubmission: "01a2378e-4380-7538-8453-d785d3136f53",
	externalSubmission: "01a23b21-ca80-798c-8475-36a49761a698",
	evaluation: "01a23632-fd29-781a-8f14-c145009ce981",
	dryRun: "01a230dc-6580-7c31-9a55-2f6f0a7b9d10",
	deal: "01a259de-bfa0-7f1b-8bcd-8898f13ac8f1",
	key: "01a2315e-66c1-78ff-8347-39ac0f62218f",
	secondKey: "01a2321e-a980-72e2-8ac0-eabf2d897a2e",
	attachment: "01a230db-7b20-7a70-88a7-ae0ba626dea7",
	webhook: "01a230e7-6200-7cc6-823a-9bd24bb0d3cc",
	delivery: "01a23632-fdf0-76a9-89b4-4ce569d82c6a",
	replay: "01a23669-4b80-7be1-8e08-236b3ceb9bbe",
	event: "01a23632-fd28-708d-812d-fdf887ff8508",
	operatorToken: "01a2310c-0100-7454-8021-5f1ec44e3745",
	child: "01a2310d-d5c0-7e37-879b-1031e27590e3",
	question: "01a2318a-1100-7a11-8b22-0c33d44e55f6",
	appeal: "01a2364c-2200-7b22-9c33-1d44e55f66a7",
	upload: "01a23616-e5c0-71fe-868e-72581ec4421f",
} as const;

/** The times of the story's events. */
export const AT = {
	posterRegistered: "2026-12-01T09:00:00.000Z",
	created: "2026-12-01T09:05:00.000Z",
	dryRun: "2026-12-01T09:08:00.000Z",
	attached: "2026-12-01T09:07:00.000Z",
	published: "2026-12-01T09:10:00.000Z",
	judgeChecked: "2026-12-01T09:10:48.000Z",
	subscribed: "2026-12-01T09:20:00.000Z",
	tokenCreated: "2026-12-01T10:00:00.000Z",
	adaRegistered: "2026-12-01T11:30:00.000Z",
	asked: "2026-12-01T12:18:00.000Z",
	answered: "2026-12-01T14:02:00.000Z",
	verified: "2026-12-01T11:42:10.000Z",
	secondKeyCreated: "2026-12-01T15:00:00.000Z",
	stored: "2026-12-02T09:30:00.000Z",
	submitted: "2026-12-02T10:00:00.000Z",
	evaluated: "2026-12-02T10:00:41.000Z",
	downloadExpires: "2026-12-02T11:05:00.000Z",
	delivered: "2026-12-02T10:00:41.200Z",
	rivalSubmitted: "2026-12-02T16:20:00.000Z",
	uploadRegistered: "2026-12-03T08:00:00.000Z",
	waitEnds: "2026-12-03T10:00:00.000Z",
	externalSubmitted: "2026-12-03T09:00:00.000Z",
	appealed: "2026-12-03T09:30:00.000Z",
	reviewed: "2026-12-03T15:40:00.000Z",
	closed: "2026-12-08T17:00:00.000Z",
	deadline: "2026-12-08T18:00:00.000Z",
	uploadExpires: "2026-12-08T19:00:00.000Z",
	dealt: "2026-12-09T08:15:00.000Z",
	dealFinal: "2026-12-11T17:00:00.000Z",
	dealAccepted: "2026-12-09T09:00:00.000Z",
	paid: "2026-12-09T10:30:00.000Z",
	received: "2026-12-09T11:00:00.000Z",
} as const;

export const API_KEY = `svc_sk_${"0123456789abcdef".repeat(4)}`;
export const OPERATOR_TOKEN = `svc_op_${"0123456789abcdef".repeat(2)}`;
export const CALLBACK_TOKEN = `svc_evaltok_${"0123456789abcdef".repeat(2)}`;
export const INVITE_CODE = `svc_invite_${"0123456789abcdef".repeat(2)}`;
export const WEBHOOK_SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
export const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";

export const CRITERIA = [
	{
		name: "Correctness",
		description: "Reads every sample export; amounts keep their sign and their cents.",
		weight: 60,
		position: 0,
		checks: ["Every sample export is read", "A refund is a negative amount", "Amounts are added without rounding"],
		evidence: "work",
	},
	{
		name: "Tests",
		description: "Unit tests cover each bank's format and broken lines.",
		weight: 25,
		position: 1,
		checks: ["A test reads each bank's format", "A test has a broken line"],
		evidence: "work",
	},
	{
		name: "Documentation",
		description: "A README says how to run the program and what it does with lines that it cannot read.",
		weight: 15,
		position: 2,
		checks: ["The README says how to run the program", "The README says what happens to lines that cannot be read"],
		evidence: "any",
	},
] as const;

export const TASK = {
	id: ID.task,
	title: "Parse the CSV exports of five banks",
	description: "A command-line program that reads the exports of five banks and writes one ledger in a common format.",
	category: "data",
	deadline: AT.deadline,
	budget_cents: 250_000,
	winner_gets_cents: 225_000,
	eval_mode: "llm",
	status: "open",
	test: false,
	created_at: AT.created,
} as const;

/** The scores of Ada's submission. Its final score is 0.60 * 100 + 0.25 * 75 + 0.15 * 75. */
export const DIMENSIONS = [
	{
		criterion_name: "Correctness",
		score: 100,
		reasoning: "All five samples parse; src/banks/north.py keeps negative amounts in parentheses.",
	},
	{ criterion_name: "Tests", score: 75, reasoning: "Every format has tests; a broken line is tested for two of five banks." },
	{
		criterion_name: "Documentation",
		score: 75,
		reasoning: "The README shows how to run the program, but not what happens to unreadable lines.",
	},
] as const;

export const FINAL_SCORE = 90;

/** The judge, its models and its prompt when the task was published. */
export const COMPARISON_GROUP = { number: 1, judge: "openai", models: ["gpt-5.2"], prompt_version: "2", since: AT.published };
